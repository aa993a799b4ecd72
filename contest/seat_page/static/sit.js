// A seat in the browser: which view is shown, and what is in it. The seat itself is in model.js.
import { connect } from "../pages/live.js";
import { say } from "../pages/say.js";
import { Seat } from "./model.js";
import { Order } from "./order.js";
import { KeyNames, Line } from "./typing.js";

const { Pane } = window.talks;
const byId = (id) => document.getElementById(id);
const names = new KeyNames(JSON.parse(byId("names").textContent));

// Milliseconds: without keys until they count on a new page; of silence until an unfinished line is
// read out; of the words of a warning.
const QUIET = 1000;
const SILENCE = 3000;
const WARNED = 12000;
const TIMES = { first: 100, longest: 2000, silence: 12000 };
// Seconds before the end at which there is a warning.
const WARNINGS = [20, 60, 120, 300];
const VIEWS = ["code", "consent", "talk", "verdict", "ranking"];

function fill(where, text) {
  if (where.textContent !== text) where.textContent = text;
  where.hidden = !text;
}
const put = (id, text) => fill(byId(id), text);

/** What this browser keeps; a full or forbidden store must not end a talk. */
const kept = {
  get(name, store = localStorage) {
    try {
      return JSON.parse(store.getItem(`seat/${name}`));
    } catch {
      return null;
    }
  },
  put(name, value, store = localStorage) {
    try {
      if (value === null) store.removeItem(`seat/${name}`);
      else store.setItem(`seat/${name}`, JSON.stringify(value));
    } catch {
      // Without it the page works all the same.
    }
  },
  /** Nothing of a contest that is over stays on a machine that others use. */
  forget(start) {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(`seat/${start}`)) localStorage.removeItem(name);
    }
  },
};
/** A name in the store that belongs to this seat in this contest. */
const own = (name) => `${seat.welcome.contest_id}/${seat.welcome.seat}/${name}`;

let seat = null;
let hangUp = () => {};
let cut = () => {};
let send = () => {};
let connected = false;
let view = "";
let wantsConsent = false;

// The connection

function begin(code, takeOver) {
  hangUp();
  seat = new Seat(code, kept, { draw, changed });
  seat.takeOver = takeOver;
  if (byId("keyboard").checked) seat.client = "browser, hardware keyboard";
  kept.put("code", code, sessionStorage);
  hangUp = connect(
    "/sit/seat",
    {
      here(say_, cut_) {
        send = say_;
        cut = cut_;
        send(seat.hello());
      },
      away(code_) {
        connected = false;
        send = () => {};
        // Closed in order, perhaps for another console's sake: nothing is taken over.
        if (code_ === 1000) seat.takeOver = false;
        changed("away");
      },
      message(frame) {
        if (frame.type === "welcome") {
          // Another contest is held here now: nothing of the old one belongs there.
          if (seat.welcome && seat.welcome.contest_id !== frame.contest_id) return begin(code, true);
          connected = true;
        }
        seat.receive(frame, performance.now());
        if (seat.needsSnapshot) cut();
        flush();
      },
      over: () => seat.ended !== null || seat.state.phase === "over",
    },
    TIMES,
  );
  show();
}

function flush() {
  for (const frame of seat.outgoing()) send(frame);
}

function changed(type) {
  if (type === "state") news("");
  if (seat.state.phase === "over") kept.forget(own(""));
  if (type === "saved" && view in decisions && !seat.errands[view]) {
    editing = false;
    if (seat.saved[view]) decisions[view].show(seat.saved[view]);
  }
  show();
}

/** Words for a moment; and words for those who do not see the page. */
const news = (text) => put("news", text);
const announce = (text) => (byId("said").textContent = text);

// The talk

const sides = new Map();
let current = "left";
let begunIn = "";

class Side {
  constructor(place) {
    this.place = place;
    this.made = byId(`side-${place}`);
    this.tab = document.querySelector(`#tabs [data-place="${place}"]`);
    this.other = seat.own === "judge" ? "entity" : "judge";
    [this.badge, this.log, this.area, this.lines] = this.made.querySelectorAll(".mark, .log, textarea, .unseen");
    const partner = say(place === "only" ? "talk.only" : "talk.partner");
    this.pane = new Pane(this.log, { [seat.own]: say("talk.you"), [this.other]: partner }, seat.own);
    this.empty();
    this.line = new Line(this.area, names, {
      press: (key) => this.press(key),
      unsendable: (char) => news(say("talk.unsendable", { char })),
      paste: (text, how) => this.pasted(text, how),
      command: (name) => this.command(name),
    });
    this.area.addEventListener("focus", () => turnTo(place));
    this.tab?.addEventListener("click", () => this.area.focus());
    this.log.addEventListener("click", () => getSelection().isCollapsed && this.area.focus());
    this.log.addEventListener("keydown", (event) => {
      if (event.key === "Escape" || event.key === "F6") this.area.focus();
    });
  }

  press(key) {
    clearTimeout(this.paste);
    if (!seat.takesKeys(this.place)) announce(byId("sentence").textContent);
    seat.press(this.place, key);
    flush();
  }

  /** A pasted text: refused, or typed at a person's pace until a key is pressed. */
  pasted(text, how) {
    const { round, attempt } = seat.state;
    send({ type: "pasted", round, attempt, place: this.place, characters: [...text].length, how });
    const typed = seat.welcome.paste === "type";
    news(say(typed ? "talk.paste_typing" : "talk.paste_refused"));
    if (!typed) return;
    const { keys } = names.keys(text);
    const next = () => {
      if (!keys.length || !seat.takesKeys(this.place)) return;
      this.press(keys.shift());
      this.paste = setTimeout(next, 90 + 160 * Math.random() ** 2);
    };
    next();
  }

  command(name) {
    const others = [...sides.values()].filter((each) => each !== this && !each.made.hidden);
    if (name === "leave") byId("heading").focus();
    else if (name === "read") this.log.focus();
    else others[0]?.area.focus();
  }

  empty() {
    this.pane.clear();
    this.lines.replaceChildren();
    this.finished = 0; // lines of the other side that were read out
    this.said = ""; // of its next one, what was
  }

  take(keys, fresh) {
    if (fresh) this.empty();
    for (const [author, key] of keys) this.pane.type(author, names.char(key));
    if (fresh) this.finished = this.pane.conversation.of[this.other].length; // read out before
    this.line.draw(this.pane.conversation.draft.join(""));
    this.unread = this.place !== current && !fresh;
  }

  /** The other side's finished lines for a screen reader at once, an unfinished one after a
   * silence. */
  readOut() {
    const theirs = this.pane.conversation.of[this.other];
    const last = theirs[theirs.length - 1];
    const count = theirs.length - (last && !last.ended ? 1 : 0);
    for (const each of theirs.slice(this.finished, count)) {
      this.say(each.chars.join(""));
      this.said = "";
    }
    this.finished = count;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      if (!last || last.ended) return;
      this.say(last.chars.join(""));
      this.said = last.chars.join("");
    }, SILENCE);
  }

  say(text) {
    const fresh = text.startsWith(this.said) ? text.slice(this.said.length) : text;
    if (!fresh.trim()) return;
    const line = document.createElement("p");
    line.textContent = say(`talk.said_${this.place}`, { text: fresh });
    this.lines.append(line);
    while (this.lines.childElementCount > 50) this.lines.firstChild.remove();
  }
}

function draw(place, keys, fresh) {
  if (!sides.has(place)) placeSides();
  sides.get(place)?.take(keys, fresh);
  scheduleDrawing();
}

let drawing = 0;
function scheduleDrawing() {
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    const heard = Object.entries(seat.talks).map(([place, talk]) => [place, talk.heard]);
    for (const side of sides.values()) {
      side.pane.draw();
      side.readOut();
    }
    showTurns();
    showTalksAgain();
    // After this frame is painted, and never in a tab that nobody sees.
    setTimeout(() => {
      if (document.visibilityState !== "visible") return;
      for (const [place, n] of heard) seat.painted(place, n);
      flush();
    });
  });
}

function placeSides() {
  const places = seat.state.places ?? [];
  for (const place of places) if (!sides.has(place)) sides.set(place, new Side(place));
  for (const [place, side] of sides) side.made.hidden = !places.includes(place);
  byId("tabs").hidden = places.length < 2;
}

function turnTo(place) {
  current = place;
  sides.get(place).unread = false;
  showTurns();
}

function showTurns() {
  for (const [place, side] of sides) {
    const here = place === current;
    side.made.classList.toggle("here", here);
    let words = here ? say("talk.active") : say("talk.inactive", { key: "F6" });
    if (here && !document.hasFocus()) words = say("talk.away");
    if (!seat.takesKeys(place)) words = "";
    fill(side.badge, words);
    if (!side.tab) continue;
    side.tab.setAttribute("aria-pressed", here);
    fill(side.tab, say(`talk.${place}`) + (side.unread ? " •" : ""));
  }
  put("sentence", sentence());
}

// Decisions: what is saved counts until the server has saved another one

const { human, sure, reason } = byId("view-verdict").elements;
const { publish, pseudonym } = byId("view-consent").elements;
let order = new Order({});

// What is chosen, as the frame to send, or null while something is missing; and how a frame is shown.
const decisions = {
  consent: {
    message() {
      const name = pseudonym.value.normalize("NFC").trim().replace(/\s+/g, " ");
      return publish.value ? { type: "consent", publish: publish.value === "yes", pseudonym: name } : null;
    },
    show(frame) {
      byId("view-consent").reset();
      publish.value = { true: "yes", false: "no" }[frame.publish];
      pseudonym.value = frame.pseudonym ?? "";
    },
  },
  verdict: {
    message() {
      const { round, attempt } = seat.state;
      const confidence = sure.value === "" ? null : Number(sure.value);
      const said = { human: human.value, confidence, reason: reason.value.trim() };
      return human.value ? { type: "verdict", round, attempt, ...said } : null;
    },
    show(frame) {
      byId("view-verdict").reset();
      human.value = frame.human;
      sure.value = frame.confidence ?? "";
      reason.value = frame.reason ?? "";
    },
  },
  ranking: {
    message: () => ({ type: "ranks", ranks: order.ranks() }),
    show({ ranks }) {
      const { participants } = seat.rankThese;
      const asGiven = Object.keys(participants).map((label, at) => [label, at]);
      order = new Order(ranks ?? Object.fromEntries(asGiven));
    },
  },
};
let editing = false;

/** `saved`, `sending`, `confirm` or `choose`: how far the decision of this view has come. */
function step() {
  if (seat.errands[view]) return "sending";
  if (seat.saved[view] && !editing) return "saved";
  return decisions[view].message() ? "confirm" : "choose";
}

function showDecision() {
  byId("decide").hidden = !(view in decisions);
  if (!(view in decisions)) return;
  const now = step();
  const free = now === "choose" || now === "confirm";
  const fields = byId(`view-${view}`).querySelectorAll("input, select, textarea, [data-act]:not([data-act^=read])");
  for (const each of fields) each.disabled = !free;
  put("save", free ? say(`${view}.confirm`) : "");
  byId("save").setAttribute("aria-disabled", now !== "confirm");
  put("correct", now === "saved" ? say(`${view}.correct`) : "");
  put("keep", free && seat.saved[view] ? say(`${view}.keep`) : "");
  put("decided", decisionWords(now, seat.saved[view], seat.refused[view]));
}

function decisionWords(now, saved, refused) {
  const time = saved && new Date(saved.at).toLocaleTimeString(document.documentElement.lang);
  if (refused) return say(`${view}.refused`, { reason: refused.message });
  if (now === "sending") return say(`${view}.saving${connected ? "" : "_offline"}`);
  if (now === "saved") {
    const name = saved.pseudonym || seat.agreement?.name || seat.welcome.name;
    const form = { consent: saved.publish ? "_publish" : "_withhold", verdict: `_${saved.human}` };
    return say(`${view}.saved${form[view] ?? ""}`, { time, name });
  }
  if (saved) return say(`${view}.correcting`, { time });
  if (view === "ranking") return say(editing ? "ranking.unsaved" : "ranking.unmoved");
  if (now === "choose") return "";
  return say(view === "verdict" ? `verdict.you_say_${human.value}` : "consent.unsaved");
}

byId("save").addEventListener("click", () => {
  if (step() === "choose") announce(say(`${view}.choose_first`));
  if (step() !== "confirm") return;
  if (view === "verdict") rememberMet();
  seat.give(decisions[view].message());
  flush();
  wantsConsent = false;
  show();
});

/** The person chooses again, or leaves it at what is saved. */
function correct(begins) {
  editing = begins;
  if (!begins) decisions[view].show(seat.saved[view]);
  wantsConsent &&= begins;
  show();
  if (begins) byId(`view-${view}`).querySelector("input:checked, input, button")?.focus();
}
byId("correct").addEventListener("click", () => correct(true));
byId("keep").addEventListener("click", () => correct(false));

// A choice that is not saved survives a reload.
const draft = () => own(`${view}/${seat.state.round}/${seat.state.attempt}`);
function chosen() {
  editing = true;
  kept.put(draft(), decisions[view].message());
  showDecision();
}
for (const form of [byId("view-consent"), byId("view-verdict")]) {
  form.addEventListener("input", chosen);
  // Return goes on to the button that saves.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    byId("save").focus();
  });
}

/** A view with a decision has come: nothing is chosen but what was saved or kept. */
function beginDecision() {
  const saved = seat.saved[view];
  const unsaved = saved ? null : kept.get(draft());
  editing = unsaved !== null;
  decisions[view].show(saved ?? unsaved ?? {});
}

// The round's talks to read again under the verdict; and what the ranking recalls of them.

function showTalksAgain() {
  byId("talks-again").hidden = view !== "verdict";
  if (view !== "verdict") return;
  for (const [place, { pane, log }] of sides) {
    // An own line without Return is part of the talk: the other side has seen it.
    if (pane.conversation.draft.length) pane.type(seat.own, "\n");
    pane.draw();
    byId(`again-${place}`).innerHTML = log.innerHTML;
  }
}

const FEW = 20; // characters of what the other side said first
function rememberMet() {
  const { round, attempt } = seat.state;
  const words = Object.fromEntries([...sides].map(([place, { pane }]) => {
    const said = pane.conversation.blocks.find((each) => each.author !== seat.own);
    const rest = said?.chars.length > FEW ? "…" : "";
    return [place, (said?.chars.slice(0, FEW).join("") ?? "") + rest];
  }));
  kept.put(own(`met/${round}/${attempt}`), { human: human.value, words });
}

function met(label) {
  return seat.rankThese.participants[label].map(([round, attempt, place]) => {
    const where = say("ranking.met", { round, side: say(`ranking.side_${place}`) });
    const known = kept.get(own(`met/${round}/${attempt}`));
    if (!known?.words[place]) return where;
    const said = known.human === place ? "human" : "program";
    return `${where} – ${say(`ranking.recalled_${said}`, { words: known.words[place] })}`;
  }).join("; ");
}

function showRanking() {
  const ties = seat.rankThese.ties ?? true;
  byId("ranking-ties").textContent = say(ties ? "browser.ties" : "ranking.no_ties");
  const { act } = document.activeElement.dataset;
  byId("order").replaceChildren(...order.places().map((row, at) => orderRow(row, at, ties)));
  if (act) document.querySelector(`[data-act="${act}"]`)?.focus();
}

function orderRow({ label, place, shared }, at, ties) {
  const row = byId("row").content.firstElementChild.cloneNode(true);
  const participant = say("ranking.participant", { label });
  const words = row.querySelector("span > span");
  words.textContent = say(`ranking.row${shared ? "_shared" : ""}`, { place, participant });
  row.querySelector("small").textContent = met(label);
  const acts = {
    up: () => moved(label, () => order.move(label, at - 1)),
    down: () => moved(label, () => order.move(label, at + 1)),
    share: () => moved(label, () => order.share(label)),
    read: () => readAgain(label),
  };
  for (const button of row.querySelectorAll("button")) {
    const { act } = button.dataset;
    button.addEventListener("click", acts[act]);
    button.dataset.act = `${act}-${label}`;
    if (act === "share") button.hidden = !ties || at === 0;
    if (act === "share" && order.rows[at].tied) button.textContent = say("ranking.split");
    button.setAttribute("aria-label", `${button.textContent}: ${participant}`);
  }
  row.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", label));
  row.addEventListener("dragover", (event) => event.preventDefault());
  row.addEventListener("drop", (event) => {
    event.preventDefault();
    const dragged = event.dataTransfer.getData("text/plain");
    if (dragged in seat.rankThese.participants) moved(dragged, () => order.move(dragged, at));
  });
  return row;
}

function moved(label, change) {
  if (step() !== "confirm") return;
  change();
  chosen();
  show();
  const { place, shared } = order.places().find((row) => row.label === label);
  const participant = say("ranking.participant", { label });
  announce(say(`ranking.moved${shared ? "_shared" : ""}`, { participant, place }));
}

let reading = null;
function readAgain(label) {
  const count = seat.rankThese.participants[label].length;
  reading = { label, at: reading?.label === label ? (reading.at + 1) % count : 0 };
  showReader();
  byId("reader-heading").focus();
}

function showReader() {
  byId("reader").hidden = !reading;
  if (!reading) return;
  const [round, attempt, place] = seat.rankThese.participants[reading.label][reading.at];
  const where = say("ranking.met", { round, side: say(`ranking.side_${place}`) });
  put("reader-heading", `${say("ranking.participant", reading)} – ${where}`);
  const past = seat.past.get(`${round}/${attempt}/${place}`);
  const log = byId("reader-log");
  if (past && reading.past !== past) {
    reading.past = past;
    const pane = new Pane(log, { judge: say("talk.you"), entity: say("talk.partner") });
    for (const [, author, key] of past.keys) pane.type(author, names.char(key));
    pane.draw();
    log.scrollTop = 0;
  } else if (!past) {
    const refused = reading.asked && seat.refused.read;
    log.textContent = refused ? say("ranking.unreadable", { reason: refused.message }) : say("ranking.loading");
    if (reading.asked) return;
    reading.asked = true;
    seat.give({ type: "read", round, attempt, place });
    flush();
  }
}

// Which view

function viewNow() {
  if (!seat || seat.ended) return "code";
  const { phase, places = [] } = seat.state;
  if (!seat.welcome) return "";
  if (seat.agreement && ["before", "waiting"].includes(phase)) {
    if (!seat.saved.consent || seat.errands.consent || wantsConsent) return "consent";
  }
  if (seat.agreement && phase === "closed" && wantsConsent) return "consent";
  const judges = seat.welcome.role === "judge";
  if (["interaction", "paused"].includes(phase) && places.length) return "talk";
  if (phase === "scoring" && judges && places.length > 1) return "verdict";
  if (phase === "ranking" && judges && seat.rankThese) return "ranking";
  return "";
}

/** What the person does now, or waits for. */
function sentence() {
  if (!seat || seat.ended) return "";
  if (!seat.welcome) return say("link.connecting");
  const { phase, round, places = [], reason } = seat.state;
  const { role, rounds } = seat.welcome;
  let key = `phase.${phase}.${role}`;
  if (phase === "closed" && round >= rounds) key = `phase.closed_last.${role}`;
  else if (["interaction", "paused", "scoring"].includes(phase) && !places.length) key = "phase.idle";
  else if (role === "confederate" && phase === "interaction" && !seat.takesKeys("only")) key = "confederate.wait";
  else if (role === "judge" && phase === "ranking" && !seat.rankThese) key = "phase.soon";
  else if (phase === "over" && seat.rankThese && !seat.saved.ranking) key = "phase.over.unsaved";
  return reason ? `${say(key)} ${say("phase.reason", { reason })}` : say(key);
}

function show() {
  const next = viewNow();
  const before = view;
  view = next;
  for (const name of VIEWS) byId(`view-${name}`).hidden = name !== view;
  showTop();
  if (view === "code") showCode();
  if (view === "consent") showConsent();
  if (view === "talk") {
    placeSides();
    showTurns();
  }
  if (view !== before && view in decisions) beginDecision();
  if (view === "ranking") {
    showRanking();
    showReader();
  }
  showDecision();
  if (view === before) return;
  showTalksAgain();
  focusFirst(before);
}

/** Puts the focus where the person goes on; never on a button or a choice that keys would press. */
function focusFirst(before) {
  if (view === "talk") {
    const { round, attempt } = seat.state;
    if (begunIn !== `${round}/${attempt}`) [current] = seat.state.places;
    begunIn = `${round}/${attempt}`;
    sides.get(current).area.focus();
    return;
  }
  if (["talk", "verdict", "ranking", "consent"].includes(before) && view in decisions) shutGate();
  if (view === "code") byId("code").focus();
  else byId("heading").focus();
}

function showTop() {
  const { welcome, state } = seat ?? {};
  const heading = () => {
    if (!seat || seat.ended || !welcome) return say("join.heading");
    if (view === "consent") return say("consent.heading");
    const elsewhere = state.phase === "scoring" && view !== "verdict";
    return say(elsewhere ? "phase.scoring.elsewhere" : `phase.${state.phase}.heading`);
  };
  if (byId("heading").textContent !== heading()) {
    put("heading", heading());
    if (welcome) announce(`${heading()}. ${sentence()}`);
  }
  put("sentence", view === "consent" ? say("consent.intro") : sentence());
  if (!welcome) return;
  document.title = say(`window.${welcome.role}`, { contest: welcome.contest, seat: welcome.seat });
  const name = seat.saved.consent?.pseudonym || welcome.name || welcome.seat;
  const round = { round: state.round, rounds: welcome.rounds, attempt: state.attempt };
  const where = [say(`talk.who_${welcome.role}`, { name })];
  if (state.round) where.push(say(state.attempt > 1 ? "talk.attempt" : "talk.round", round));
  put("where", where.join(" · "));
  const down = seat.unconfirmed || view === "talk" ? "link.down" : "link.trying";
  put("link", connected ? "" : say(down));
  const quiet = ["before", "waiting", "closed"].includes(state.phase);
  byId("consent-open").hidden = !(quiet && seat.agreement && view !== "consent");
  if (seat.lostKeys) news(say("link.lost_keys", { n: seat.lostKeys }));
}

function showCode() {
  const { ended, welcome } = seat ?? {};
  const keys = {
    "bad-code": welcome ? "errors.code_gone" : "errors.bad_code",
    "seat-taken": welcome ? "errors.taken_away" : "errors.seat_taken",
    version: "errors.version",
    "no-browser": "browser.not_allowed",
    keyboard: "browser.keyboard_needed",
  };
  put("code-trouble", ended ? say(keys[ended.code]) : "");
  byId("code-over").hidden = ended?.code !== "seat-taken";
  byId("code-keyboard").hidden = ended?.code !== "keyboard";
  if (!ended) return;
  hangUp();
  if (ended.code === "keyboard") byId("code").value = seat.code;
  if (ended.code !== "seat-taken") kept.put("code", null, sessionStorage);
}

function showConsent() {
  const { text, name } = seat.agreement;
  if (byId("agreement").dataset.text === text) return;
  byId("agreement").dataset.text = text;
  byId("agreement").textContent = text;
  put("pseudonym-about", `${say("consent.pseudonym_hint", { name: name || seat.welcome.name })} ${say("consent.pseudonym_about")}`);
}

// The clock, and what it warns of

let warnedOf = "";
function tick() {
  const left = seat?.welcome ? seat.remaining(performance.now()) : null;
  if (left === null) return put("clock", "");
  const { phase, round, remaining_ms: whole } = seat.state;
  const seconds = Math.ceil(left / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  put("clock", phase === "paused" ? `${time} – ${say("clock.stopped")}` : time);
  byId("clock").dataset.level = seconds <= 20 ? "last" : seconds <= 120 ? "soon" : "calm";
  // No warning of as much as the phase is long.
  const at = WARNINGS.find((each) => seconds <= each && each * 1000 < whole);
  if (!at || !["interaction", "scoring"].includes(phase) || warnedOf === `${phase}/${round}/${at}`) return;
  warnedOf = `${phase}/${round}/${at}`;
  news(at < 60 ? say("clock.seconds", { n: at }) : say("clock.minutes", { n: at / 60 }));
  setTimeout(news, WARNED, "");
}
setInterval(tick, 250);

// Keys are kept from a page with buttons that has just come, until the person has stopped typing.

let gate = 0;
function shutGate() {
  clearTimeout(gate);
  news(say("window.keys_stopped"));
  gate = setTimeout(() => {
    gate = 0;
    news("");
  }, QUIET);
}
function stop(event) {
  if (!gate) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  shutGate();
}
for (const type of ["keydown", "keyup", "beforeinput"]) addEventListener(type, stop, { capture: true });

// The page

addEventListener("beforeunload", (event) => {
  const undecided = view === "verdict" && !seat.saved.verdict;
  if (view === "talk" || undecided || (seat && seat.unconfirmed)) event.preventDefault();
});
for (const type of ["focus", "blur"]) addEventListener(type, () => seat && showTurns());
document.addEventListener("visibilitychange", () => seat && scheduleDrawing());
addEventListener("offline", () => cut());
byId("consent-open").addEventListener("click", () => {
  wantsConsent = true;
  show();
});
byId("code-show").addEventListener("input", () => {
  byId("code").type = byId("code-show").checked ? "text" : "password";
});
byId("view-code").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(byId("code").value.trim(), false);
});
byId("code-over").addEventListener("click", () => begin(seat.code, true));

function start() {
  const given = decodeURIComponent(location.hash.slice(1));
  // The code is in no history and in no address that somebody can read over a shoulder.
  if (given) history.replaceState(null, "", location.pathname + location.search);
  const code = given || kept.get("code", sessionStorage);
  if (code) begin(code, false);
  else show();
}
addEventListener("hashchange", start);
start();
