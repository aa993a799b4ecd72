// A talk on a screen: the rules of lpp/conversation.py, for pages. A classic script, because a page
// that is opened from a folder can't load modules.
(() => {
  "use strict";
  const SOFT_LIMIT = 400;
  const HARD_LIMIT = 800;
  // More accents than these on a letter would cover the lines around it.
  const STACKED = /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu;
  const SENTENCE_END = /[.?!…]["')\]»”’ ]*$/u;

  function isFull(chars, char) {
    if (chars.length < SOFT_LIMIT) return false;
    if (chars[chars.length - 1] === " ") return true;
    // Don't cut a character that consists of several code points.
    return chars.length >= HARD_LIMIT && !/[\p{M}\p{C}]/u.test(char);
  }

  /** Both authors' key presses as blocks; `first` is the first block that must be redrawn. */
  class Conversation {
    /** @param {?string} own the author at this screen, whose open line is the `draft` */
    constructor(own = null) {
      this.own = own;
      this.draft = [];
      this.blocks = [];
      this.first = 0;
      this.of = { judge: [], entity: [] };
    }

    /** Takes typed characters; BackSpace is "\b", Return is "\n". */
    type(author, text) {
      for (const char of text) {
        if (author === this.own) this.typeOwn(char);
        else if (char === "\b") this.takeBack(author);
        else if (char === "\n") this.end(author);
        else this.write(author, char);
      }
    }

    typeOwn(char) {
      const mine = this.of[this.own];
      if (char === "\n") {
        const line = cut(this.draft).map((chars) => ({ ...block(this.own, "", true), chars }));
        line[0].continues = false;
        line[line.length - 1].ended = true;
        this.draft = [];
        mine.push(...line);
        this.insert(line);
      } else if (char !== "\b") {
        this.draft.push(char);
      } else if (this.draft.length) {
        this.draft.pop();
      } else {
        // Reopen the whole last line.
        for (let goesOn = mine.length > 0; goesOn; ) {
          const last = mine.pop();
          const index = this.index(last);
          this.blocks.splice(index, 1);
          this.touch(index);
          this.draft = [...last.chars, ...this.draft];
          goesOn = last.continues;
        }
      }
    }

    write(author, char) {
      const last = this.lastUnended(author);
      if (!last) {
        this.append(block(author, char));
      } else if (last.settled) {
        this.append(block(author, char, true));
      } else if (isFull(last.chars, char)) {
        const next = block(author, char, true);
        const index = this.index(last) + 1;
        this.blocks.splice(index, 0, next);
        this.of[author].push(next);
        this.touch(index);
      } else {
        last.chars.push(char);
        this.touch(this.index(last));
      }
    }

    end(author) {
      const last = this.lastUnended(author);
      if (!last) {
        const empty = block(author, "");
        empty.ended = true;
        this.of[author].push(empty);
        this.insert([empty]);
        return;
      }
      last.ended = true;
      last.settled = false;
      const line = this.lineOf(last);
      const start = this.index(line[0]);
      this.blocks.splice(start, line.length);
      this.touch(start);
      this.insert(line);
    }

    takeBack(author) {
      const mine = this.of[author];
      if (!mine.length) return;
      const last = mine[mine.length - 1];
      if (last.ended) {
        last.ended = false;
      } else {
        last.chars.pop();
        last.settled = false;
      }
      this.touch(this.index(last));
      if (!last.chars.length) {
        this.blocks.splice(this.index(last), 1);
        mine.pop();
      }
    }

    // An ended line goes below all others, but above an open one.
    insert(line) {
      let place = this.blocks.length;
      const goingOn = this.blocks[place - 1];
      if (goingOn && !goingOn.ended && !goingOn.settled) {
        if (SENTENCE_END.test(goingOn.chars.join(""))) goingOn.settled = true;
        else place -= this.lineOf(goingOn).length;
      }
      this.blocks.splice(place, 0, ...line);
      this.touch(place - 1);
    }

    // A block with the adjacent blocks before it that it continues.
    lineOf(last) {
      const end = this.index(last) + 1;
      let start = end - 1;
      while (
        this.blocks[start].continues &&
        start > 0 &&
        this.blocks[start - 1].author === last.author &&
        !this.blocks[start - 1].settled
      ) {
        start -= 1;
      }
      return this.blocks.slice(start, end);
    }

    lastUnended(author) {
      const mine = this.of[author];
      const last = mine[mine.length - 1];
      return last && !last.ended ? last : null;
    }

    append(fresh) {
      this.blocks.push(fresh);
      this.of[fresh.author].push(fresh);
      this.touch(this.blocks.length - 1);
    }

    index(wanted) {
      return this.blocks.lastIndexOf(wanted);
    }

    touch(index) {
      this.first = Math.min(this.first, Math.max(0, index));
    }
  }

  // Cuts a line into the pieces that it would have if it had been typed in blocks.
  function cut(line) {
    const pieces = [[]];
    for (const char of line) {
      if (isFull(pieces[pieces.length - 1], char)) pieces.push([]);
      pieces[pieces.length - 1].push(char);
    }
    return pieces;
  }

  function block(author, char, continues = false) {
    const chars = char ? [char] : [];
    return { author, chars, ended: false, continues, settled: false };
  }

  /** A conversation drawn into an element. Typed text is always plain text, never HTML. */
  class Pane {
    /**
     * @param {HTMLElement} log the scrolling element
     * @param {{judge: string, entity: string}} names the names of both sides, such as "Left"
     * @param {?string} own the author at this screen, if any
     */
    constructor(log, names, own = null) {
      this.log = log;
      this.names = names;
      this.own = own;
      this.clear();
    }

    clear() {
      this.conversation = new Conversation(this.own);
      this.log.replaceChildren();
      this.drawn = [];
    }

    type(author, text) {
      this.conversation.type(author, text);
    }

    /** Draws the changes; follows the end unless somebody has scrolled up. */
    draw() {
      const { blocks, first } = this.conversation;
      if (first >= blocks.length && this.drawn.length === blocks.length) return;
      const { log } = this;
      const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 48;
      for (let at = first; at < blocks.length; at += 1) this.drawBlock(at, blocks[at]);
      for (const left of this.drawn.splice(blocks.length)) left.line.remove();
      this.conversation.first = blocks.length;
      if (follows) log.scrollTop = log.scrollHeight;
    }

    drawBlock(at, { author, chars, ended, continues, settled }) {
      let drawn = this.drawn[at];
      if (!drawn) {
        const line = document.createElement("p");
        const name = document.createElement("b");
        const text = document.createElement("span");
        text.dir = "auto";
        line.append(name, " ", text);
        this.log.append(line);
        drawn = { line, name, text };
        this.drawn[at] = drawn;
      }
      const kind = `line ${author}${ended || settled ? "" : " open"}${continues ? " more" : ""}`;
      if (drawn.line.className !== kind) drawn.line.className = kind;
      const label = continues ? "" : `${this.names[author]}:`;
      if (drawn.name.textContent !== label) drawn.name.textContent = label;
      const said = chars.join("").replace(STACKED, "$1");
      if (drawn.text.textContent !== said) drawn.text.textContent = said;
    }
  }

  window.talks = { Conversation, Pane };
})();
