// What a seat knows and has to say, without socket, clock or page: the rules of
// judge_console/model/seat.py and docs/reference/wire.md.

/** Refusals after which the same code does not help. */
const FINAL = new Set(["bad-code", "version", "seat-taken", "no-browser", "keyboard"]);
const DECISIONS = { verdict: "verdict", ranks: "ranking", consent: "consent" };

/** One talk as this seat sees it. Own keys are numbered from 1; the number is a key's identity. */
class Talk {
  constructor(own) {
    this.own = own;
    this.taken = 0; // the highest own number that is durable at the server
    this.last = 0; // the number of the last own key
    this.waiting = []; // own keys that are not durable, as [number, key]
    this.sent = 0;
    this.heard = 0; // the number of the other side's last key
    this.painted = 0;
    this.reported = 0;
  }

  press(key) {
    this.last += 1;
    this.waiting.push([this.last, key]);
    return [this.own, key];
  }

  /** Takes the server's snapshot, and keys that an earlier page has kept; gives all that is shown. */
  replace({ keys, taken = 0 }, kept) {
    const known = new Map([...kept, ...this.waiting]);
    const own = keys.filter(([author]) => author === this.own);
    // Another console has typed something else since: the rest belongs to a line that has gone.
    const contradicts =
      own.length === taken && own.some(([, key], at) => (known.get(at + 1) ?? key) !== key);
    this.waiting = [];
    this.taken = taken;
    this.sent = taken;
    this.last = taken;
    while (!contradicts && known.has(this.last + 1)) {
      this.last += 1;
      this.waiting.push([this.last, known.get(this.last)]);
    }
    this.heard = keys.length - own.length;
    this.painted = 0;
    this.reported = 0;
    return [...keys, ...this.waiting.map(([, key]) => [this.own, key])];
  }

  confirm(n) {
    this.taken = Math.max(this.taken, Math.min(n, this.last));
    this.waiting = this.waiting.filter(([number]) => number > this.taken);
  }
}

/**
 * A seat.
 *
 * @param {string} code the seat's secret code
 * @param {object} memory keeps own keys over a reload: `get(talk)` gives [number, key] pairs or
 *   null, `put(talk, pairs)` replaces them; `talk` is a text that names contest, seat and talk
 * @param {object} told what to call: `draw(place, keys, fresh)` with (author, key) pairs to show,
 *   after `fresh` as the whole talk; `changed(type)` after any other frame
 */
export class Seat {
  constructor(code, memory, told) {
    Object.assign(this, { code, memory, told });
    this.welcome = null;
    this.state = { phase: "before" };
    this.stateAt = 0;
    this.ended = null;
    this.takeOver = false;
    this.client = "browser";
    this.talks = {};
    this.synced = new Set();
    // Decisions and wishes are sent again after a reconnect, until the server answers.
    this.errands = { consent: null, verdict: null, ranking: null, read: null };
    this.due = new Set();
    this.greeted = false;
    this.needsSnapshot = false;
    this.saved = {};
    this.refused = {};
    this.past = new Map();
    this.agreement = null;
    this.rankThese = null;
    this.lostKeys = 0;
  }

  get own() {
    return this.welcome?.role === "confederate" ? "entity" : "judge";
  }

  get unconfirmed() {
    return Object.values(this.talks).reduce((sum, talk) => sum + talk.waiting.length, 0);
  }

  /** Milliseconds of contest time that the phase has left; null without a limit. */
  remaining(now) {
    const { remaining_ms: left = null, phase, speed = 1 } = this.state;
    if (left === null || phase === "paused") return left;
    return Math.max(0, left - (now - this.stateAt) * speed);
  }

  /** Begins a connection: gives the frame to send first. */
  hello() {
    this.greeted = false;
    this.synced.clear();
    this.needsSnapshot = false;
    this.due = new Set(Object.keys(this.errands));
    const frame = { type: "hello", code: this.code, version: 1, client: this.client };
    return this.takeOver ? { ...frame, take_over: true } : frame;
  }

  /** The frames to send now, each once in a connection. */
  outgoing() {
    if (!this.greeted) return [];
    const frames = [];
    const talk = ({ round, attempt }, place) => ({ round, attempt, place });
    for (const place of this.synced) {
      const one = this.talks[place];
      for (const [n, key] of one.waiting) {
        if (n <= one.sent) continue;
        one.sent = n;
        frames.push({ type: "press", ...talk(this.state, place), n, key });
      }
      if (one.painted > one.reported) {
        one.reported = one.painted;
        const author = this.own === "judge" ? "entity" : "judge";
        frames.push({ type: "shown", ...talk(this.state, place), author, n: one.painted });
      }
    }
    for (const name of this.due) if (this.errands[name]) frames.push(this.errands[name]);
    this.due.clear();
    return frames;
  }

  // The person's acts

  /** Whether a key that is pressed at a place counts now. */
  takesKeys(place) {
    const talk = this.talks[place];
    const begun = this.own === "judge" || talk?.heard > 0;
    return Boolean(talk) && this.state.phase === "interaction" && begun;
  }

  press(place, key) {
    if (!this.takesKeys(place)) return;
    const talk = this.talks[place];
    const shown = talk.press(key);
    this.keep(place);
    this.told.draw(place, [shown], false);
  }

  /** A verdict, a ranking, a consent, or the wish to read an earlier talk, as its frame. */
  give(frame) {
    const name = DECISIONS[frame.type] ?? frame.type;
    delete this.refused[name];
    this.errands[name] = frame;
    this.due.add(name);
  }

  painted(place, heard) {
    const talk = this.talks[place];
    if (talk) talk.painted = Math.max(talk.painted, Math.min(heard, talk.heard));
  }

  // The server's frames

  receive(frame, now) {
    const on = frame.round === this.state.round && frame.attempt === this.state.attempt;
    switch (frame.type) {
      case "welcome":
        this.welcome = frame;
        this.greeted = true;
        // The connection may break without the server's knowing: then this page takes itself over.
        this.takeOver = true;
        break;
      case "state":
        if ((frame.round ?? 0) !== this.state.round || (frame.attempt ?? 0) !== this.state.attempt) {
          this.forgetRound();
        }
        this.state = { round: 0, attempt: 0, places: [], ...frame };
        this.stateAt = now;
        break;
      case "talk":
      case "key":
      case "taken":
        if (on) this.receiveForTalk(frame);
        return;
      case "saved":
        // A repetition after a reconnect answers nothing: what is under way has its own answer.
        if (!frame.again) this.errands[frame.what] = null;
        if (frame.what !== "verdict" || on) {
          this.saved[frame.what] = frame;
          delete this.refused[frame.what];
        }
        break;
      case "agreement":
        this.agreement = frame;
        break;
      case "rank-these":
        this.rankThese = frame;
        break;
      case "past":
        this.past.set([frame.round, frame.attempt, frame.place].join("/"), frame);
        this.errands.read = null;
        break;
      case "refused":
        this.receiveRefused(frame);
        break;
    }
    this.told.changed(frame.type);
  }

  receiveForTalk(frame) {
    const { place } = frame;
    const talk = this.talks[place];
    if (frame.type === "talk") {
      this.talks[place] = talk ?? new Talk(this.own);
      const keys = this.talks[place].replace(frame, this.memory.get(this.named(place)) ?? []);
      this.synced.add(place);
      this.told.draw(place, keys, true);
    } else if (frame.type === "taken") {
      talk?.confirm(frame.n);
      if (talk) this.keep(place);
    } else if (frame.author !== this.own) {
      if (!talk || !this.synced.has(place) || frame.n > talk.heard + 1) {
        this.needsSnapshot = true; // a key is missing
      } else if (frame.n === talk.heard + 1) {
        talk.heard = frame.n;
        this.told.draw(place, [[frame.author, frame.key]], false);
      }
    }
  }

  receiveRefused(frame) {
    if (FINAL.has(frame.code)) {
      this.ended = frame;
      return;
    }
    const name = DECISIONS[frame.answers] ?? frame.answers;
    if (name in this.errands) {
      this.errands[name] = null;
      this.refused[name] = frame;
    } else if (frame.code === "gap") {
      this.needsSnapshot = true;
    }
  }

  forgetRound() {
    this.lostKeys += this.unconfirmed;
    for (const place of Object.keys(this.talks)) this.memory.put(this.named(place), null);
    this.talks = {};
    this.synced.clear();
    delete this.saved.verdict;
    delete this.refused.verdict;
    this.errands.verdict = null;
  }

  keep(place) {
    const { waiting } = this.talks[place];
    this.memory.put(this.named(place), waiting.length ? waiting : null);
  }

  named(place) {
    const { round, attempt } = this.state;
    return [this.welcome.contest_id, this.welcome.seat, round, attempt, place].join("/");
  }
}
