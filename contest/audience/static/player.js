// Replays talks at any speed, in panes like those of the contest. A classic script, for pages that
// are opened from a folder; without it, the page still has the transcript.
(() => {
  "use strict";
  const { Pane } = window.talks;
  const STEP_MS = 5000;

  function clock(milliseconds) {
    const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  class Player {
    constructor(root) {
      const find = (name) => root.querySelector(`[data-player="${name}"]`);
      this.root = root;
      this.data = JSON.parse(find("data").textContent);
      this.button = find("play");
      this.line = find("line");
      this.time = find("time");
      this.speed = find("speed");
      this.panes = this.data.talks.map(
        (talk, at) =>
          new Pane(root.querySelectorAll(".log")[at], { judge: "Judge", entity: talk.name }),
      );
      this.position = 0;
      this.taken = this.data.talks.map(() => 0);
      this.playing = false;
      this.line.max = this.data.length_ms;
      this.button.addEventListener("click", () => this.toggle());
      this.line.addEventListener("input", () => this.seek(Number(this.line.value)));
      root.addEventListener("keydown", (event) => this.key(event));
      root.hidden = false;
      this.show();
    }

    toggle() {
      if (this.playing) this.pause();
      else this.play();
    }

    play() {
      if (this.position >= this.data.length_ms) this.seek(0);
      this.playing = true;
      this.last = null;
      this.button.textContent = "Pause";
      requestAnimationFrame((now) => this.frame(now));
    }

    pause() {
      this.playing = false;
      this.button.textContent = "Play";
    }

    frame(now) {
      if (!this.playing) return;
      if (this.last !== null) {
        const passed = (now - this.last) * Number(this.speed.value);
        this.advance(Math.min(this.position + passed, this.data.length_ms));
      }
      this.last = now;
      if (this.position >= this.data.length_ms) this.pause();
      else requestAnimationFrame((next) => this.frame(next));
    }

    // The panes depend on the position only: seeking to it shows the same as playing up to it.
    seek(position) {
      const wanted = Math.min(Math.max(0, position), this.data.length_ms);
      if (wanted < this.position) {
        this.taken.fill(0);
        for (const pane of this.panes) pane.clear();
      }
      this.advance(wanted);
    }

    advance(position) {
      this.position = position;
      this.data.talks.forEach(({ keys }, at) => {
        let next = this.taken[at];
        while (next < keys.length && keys[next][0] <= position) {
          const [, author, char] = keys[next];
          this.panes[at].type(author ? "entity" : "judge", char);
          next += 1;
        }
        this.taken[at] = next;
        this.panes[at].draw();
      });
      this.show();
    }

    show() {
      const said = `${clock(this.position)} of ${clock(this.data.length_ms)}`;
      this.line.value = String(this.position);
      if (this.time.textContent === said) return;
      this.time.textContent = said;
      this.line.setAttribute("aria-valuetext", said);
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const inControl = event.target.closest("button, select, input");
      const inSpeed = event.target === this.speed;
      const steps = { ArrowLeft: -STEP_MS, ArrowRight: STEP_MS };
      if (event.key === " " && (!inControl || event.target === this.line)) {
        this.toggle();
      } else if (event.key in steps && !inSpeed) {
        this.seek(this.position + steps[event.key]);
      } else if (event.key === "Home" && !inSpeed) {
        this.seek(0);
      } else if (event.key === "End" && !inSpeed) {
        this.seek(this.data.length_ms);
      } else if ((event.key === "+" || event.key === "-") && !inSpeed) {
        const next = this.speed.selectedIndex + (event.key === "+" ? 1 : -1);
        if (this.speed.options[next]) this.speed.selectedIndex = next;
      } else {
        return;
      }
      event.preventDefault();
    }
  }

  for (const root of document.querySelectorAll(".player")) new Player(root);
})();
