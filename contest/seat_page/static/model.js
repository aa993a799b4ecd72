// The state of a seat and its side of the protocol, without socket, clock or page: the rules of
// judge_console/model/seat.py and docs/reference/wire.md.

/** Refusals after which retrying with the same code is useless. */
const FINAL = new Set(["bad-code", "version", "seat-taken", "no-browser", "keyboard"]);

/** The name of a talk, or without a place that of the round's attempt. */
export const nameOf = ({ round, attempt, place = "" }) => [round, attempt, place].join("/");

/** The request that frames of a type make or answer; most have the request's name. */
const requestOf = (type) => ({ ranks: "ranking", past: "read" })[type] ?? type;

/** A talk at this seat. Own keys are numbered from 1, and identified by their numbers. */
class Talk {
  /**
   * @param {string} own the author of this seat's keys
   * @param {object} at the fields by which frames name the talk
   * @param {?object} kept `taken` and `waiting` of an earlier page, if there was one
   */
  constructor(own, at, kept) {
    Object.assign(this, { own, at });
    this.taken = kept?.taken ?? 0; // the highest own number that is durable at the server
    this.waiting = kept?.waiting ?? []; // the own keys after it
  }

  /** Takes the server's snapshot; returns all keys to show. */
  replace({ keys, taken = 0 }) {
    const own = keys.filter(([author]) => author === this.own);
    const isKnown = ([, key], at) => (this.waiting[at - this.taken] ?? key) === key;
    // Another console has typed something else since then: drop the rest of the abandoned line.
    const isOurs = taken >= this.taken && (own.length < taken || own.every(isKnown));
    this.waiting = isOurs ? this.waiting.slice(taken - this.taken) : [];
    this.taken = taken;
    this.heard = keys.length - own.length; // the number of the other side's last key
    this.reported = 0; // how many of its keys were reported to the server as shown
    this.synced = true; // until the connection ends
    return [...keys, ...this.waiting.map((key) => [this.own, key])];
  }

  /** The frames of this seat's keys that are not durable yet, from this index on. */
  presses(from) {
    const first = this.taken + from + 1;
    const press = (key, at) => ({ type: "press", ...this.at, n: first + at, key });
    return this.waiting.slice(from).map(press);
  }
}

/**
 * A seat.
 *
 * @param {object} hello the seat's secret `code`; `client`, a name for the record; `takeOver`,
 *   whether to take the seat from another console
 * @param {object} callbacks `draw(place, keys, fresh)` with (author, key) pairs to show, which with
 *   `fresh` are the whole talk; `changed(frame)` after any other frame; `memory(owner)` returns an
 *   object that keeps JSON values across reloads: `get(name)` returns a value or null,
 *   `put(name, value)` replaces it, or removes it for null, `clear()` removes all
 */
export class Seat {
  constructor({ code, client, takeOver }, callbacks) {
    Object.assign(this, { code, client, takeOver, callbacks });
    this.welcome = null;
    this.state = { phase: "before", round: 0, attempt: 0, places: [] };
    this.ended = null;
    this.connected = false; // true from the welcome on
    this.talks = {};
    // Decisions, and requests to read an earlier talk: the frame that was `sent`, which is sent again
    // after a reconnect until it is answered; the last one `saved`; the reason if `refused`.
    this.requests = { consent: {}, verdict: {}, ranking: {}, read: {} };
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

  /** Sends a frame if there is a connection. A new connection sends all unanswered frames again. */
  send(frame) {
    if (this.connected) this.connection.send(frame);
  }

  /** Begins a connection, an object with `send(frame)`, and `cut()` to connect again. */
  greet(connection) {
    this.connection = connection;
    for (const talk of Object.values(this.talks)) talk.synced = false;
    const { code, client, takeOver: take_over } = this;
    connection.send({ type: "hello", code, version: 1, client, take_over });
  }

  // Actions of the person

  /** Whether a key pressed at a place counts now. */
  takesKeys(place) {
    const talk = this.talks[place];
    if (!talk || this.state.phase !== "interaction") return false;
    return this.own === "judge" || talk.heard > 0;
  }

  press(place, key) {
    if (!this.takesKeys(place)) return;
    const talk = this.talks[place];
    talk.waiting.push(key);
    this.keepWaiting(talk);
    if (talk.synced) talk.presses(talk.waiting.length - 1).forEach(this.send, this);
    this.callbacks.draw(place, [[this.own, key]], false);
  }

  /** Takes the frame of a verdict, a ranking, a consent, or a request to read an earlier talk. */
  give(frame) {
    Object.assign(this.requests[requestOf(frame.type)], { sent: frame, refused: null });
    this.send(frame);
  }

  /** The first `n` keys of the other side are painted. */
  painted(place, n) {
    const talk = this.talks[place];
    if (!talk?.synced || n > talk.heard || n <= talk.reported) return;
    talk.reported = n;
    const author = this.own === "judge" ? "entity" : "judge";
    this.send({ type: "shown", ...talk.at, author, n });
  }

  // Frames from the server

  receive(frame) {
    const isCurrent = nameOf({ ...frame, place: "" }) === nameOf(this.state);
    const request = this.requests[requestOf(frame.answers ?? frame.what ?? frame.type)];
    switch (frame.type) {
      case "welcome":
        this.welcome = frame;
        this.connected = true;
        this.memory = this.callbacks.memory(`${frame.contest_id}/${frame.seat}`);
        // If the server doesn't notice a broken connection, this page takes over the seat from itself.
        this.takeOver = true;
        for (const { sent } of Object.values(this.requests)) if (sent) this.send(sent);
        break;
      case "state":
        frame = { round: 0, attempt: 0, places: [], ...frame };
        if (nameOf(frame) !== nameOf(this.state)) this.forgetRound();
        // Others may use this machine: keep nothing after the contest.
        if (frame.phase === "over") this.memory.clear();
        this.state = frame;
        break;
      case "talk":
      case "key":
      case "taken":
        if (isCurrent) this.receiveForTalk(frame);
        return;
      case "past":
        // Another talk has been requested since then.
        if (nameOf(frame) !== nameOf(request.sent ?? {})) return;
      // falls through
      case "saved":
        // A repetition after a reconnect is no answer: a frame under way gets its own answer.
        if (!frame.again) request.sent = null;
        if (frame.what !== "verdict" || isCurrent) {
          Object.assign(request, { saved: frame, refused: null });
        }
        break;
      case "agreement":
        this.agreement = frame;
        break;
      case "rank-these":
        this.rankThese = frame;
        break;
      case "refused":
        if (FINAL.has(frame.code)) this.ended = frame;
        else if (frame.code === "gap") this.connection.cut();
        else if (request) Object.assign(request, { sent: null, refused: frame });
        break;
    }
    this.callbacks.changed(frame);
  }

  receiveForTalk(frame) {
    const { round, attempt, place } = frame;
    if (frame.type === "talk" && !this.talks[place]) {
      const kept = this.memory.get(nameOf(frame));
      this.talks[place] = new Talk(this.own, { round, attempt, place }, kept);
    }
    const talk = this.talks[place];
    if (frame.type === "talk") {
      this.callbacks.draw(place, talk.replace(frame), true);
      talk.presses(0).forEach(this.send, this);
    } else if (frame.type === "taken" && talk) {
      talk.taken += talk.waiting.splice(0, Math.max(0, frame.n - talk.taken)).length;
      this.keepWaiting(talk);
    } else if (frame.type === "key" && frame.author !== this.own) {
      if (!talk?.synced || frame.n > talk.heard + 1) {
        this.connection.cut(); // a key is missing: the next connection begins with a snapshot
      } else if (frame.n === talk.heard + 1) {
        talk.heard = frame.n;
        this.callbacks.draw(place, [[frame.author, frame.key]], false);
      }
    }
  }

  forgetRound() {
    this.lostKeys += this.unconfirmed;
    for (const talk of Object.values(this.talks)) this.memory.put(nameOf(talk.at), null);
    this.talks = {};
    this.requests.verdict = {};
  }

  keepWaiting({ at, taken, waiting }) {
    this.memory.put(nameOf(at), waiting.length ? { taken, waiting } : null);
  }
}
