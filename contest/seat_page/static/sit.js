// A seat in the browser: the views of the page and their contents. The seat itself is in model.js.
import { clock, countdown } from "../pages/clock.js";
import { connect } from "../pages/live.js";
import { announce, byId, fill } from "../pages/page.js";
import { isText, say } from "../pages/say.js";
import { nameOf, Seat } from "./model.js";
import { Order } from "./order.js";
import { KeyNames, Line } from "./typing.js";

const { Pane } = window.talks;
const names = new KeyNames(JSON.parse(byId("names").textContent));

// In milliseconds: keys have no effect in a new view until nothing was typed for this time.
const QUIET = 1000;
// How long the silence is before an unfinished line is read out.
const SILENCE = 3000;
// How long a warning is shown.
const WARNED = 12000;
const TIMES = { first: 100, longest: 2000, silence: 12000 };
// The seconds before the end at which warnings are shown.
const WARNINGS = [20, 60, 120, 300];

let seat = null;
let connection = null;
let view = "";
let wantsConsent = false;

const put = (id, text) => fill(byId(id), text);

/** Shows a message until the next one, or for some milliseconds. */
let newsEnds = 0;
function news(text, time = 0) {
  clearTimeout(newsEnds);
  put("news", text);
  if (time) newsEnds = setTimeout(news, time, "");
}

/** Why the server refused something; in the server's words if the code is unknown here. */
function why({ code, message }) {
  const later = { "bad-code": "code_gone", "seat-taken": "taken_away" };
  const key = `refused.${(seat.welcome && later[code]) || code.replaceAll("-", "_")}`;
  return isText(key) ? say(key) : message;
}

// The connection

/** This browser's storage for a seat. A talk must go on even if the storage is full or forbidden. */
function memory(owner) {
  const start = `seat/${owner}/`;
  const inStore = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null;
    }
  };
  return {
    get: (name) => inStore((store) => JSON.parse(store.getItem(start + name))),
    put: (name, value) => inStore((store) => {
      if (value === null) store.removeItem(start + name);
      else store.setItem(start + name, JSON.stringify(value));
    }),
    clear: () => inStore((store) => {
      for (const key of Object.keys(store)) if (key.startsWith(start)) store.removeItem(key);
    }),
  };
}

/** Keeps the code and the confirmed keyboard for a reload of this tab, but not in the address. */
const remember = (state) => history.replaceState(state, "", location.pathname + location.search);

function begin(code, takeOver) {
  connection?.close();
  const client = byId("keyboard").checked ? "browser, hardware keyboard" : "browser";
  seat = new Seat({ code, client, takeOver }, { draw, changed, memory });
  remember({ code, hardware: byId("keyboard").checked });
  connection = connect(
    "/sit/seat",
    {
      here: () => seat.greet(connection),
      away(closeCode) {
        seat.connected = false;
        // After a normal close, another console may have the seat: don't take it back.
        if (closeCode === 1000) seat.takeOver = false;
        show();
      },
      message(frame) {
        // The server now runs another contest: don't send it anything from the old one.
        const isOther = frame.type === "welcome" && frame.contest_id !== seat.welcome?.contest_id;
        if (isOther && seat.welcome) return begin(code, true);
        seat.receive(frame);
      },
      over: () => seat.ended !== null || seat.state.phase === "over",
    },
    TIMES,
  );
  show();
}

function changed({ type, what }) {
  if (type === "state") {
    const { remaining_ms: whole, phase, speed } = seat.state;
    left = countdown(whole, phase === "paused" ? 0 : speed);
    news("");
  }
  if (type === "saved" && what === view && !seat.requests[view].sent) showChosen();
  if (reading && ["past", "refused"].includes(type)) showReader();
  show();
}

// The talk

const sides = new Map();
let current = "left";
let untouched = true;

/** One side of the talk on the page; `typing.js` calls press, unsendable, paste and command. */
class Side {
  constructor(place) {
    this.place = place;
    this.made = byId(`side-${place}`);
    this.tab = document.querySelector(`#tabs [data-place="${place}"]`);
    this.other = seat.own === "judge" ? "entity" : "judge";
    [this.badge, this.log, this.area, this.lines] = this.made.querySelectorAll(".mark, .log, textarea, .unseen");
    const partner = say(place === "only" ? "talk.only" : "talk.partner");
    this.pane = new Pane(this.log, { [seat.own]: say("talk.you"), [this.other]: partner }, seat.own);
    this.line = new Line(this.area, names, this);
    this.area.addEventListener("focus", () => this.turnTo());
    this.tab.addEventListener("click", () => this.turnTo());
    this.log.addEventListener("click", () => getSelection().isCollapsed && this.area.focus());
    this.log.addEventListener("keydown", (event) => {
      if (event.key === "Escape" || event.key === "F6") this.area.focus();
    });
  }

  /** Moves the typing to this side. A phone shows only this side. */
  turnTo() {
    current = this.place;
    this.unread = false;
    showTurns();
    this.area.focus();
  }

  press(key) {
    untouched = false;
    clearTimeout(this.pasting);
    if (!seat.takesKeys(this.place)) announce(byId("sentence").textContent);
    seat.press(this.place, key);
  }

  unsendable(char) {
    news(say("talk.unsendable", { char }));
  }

  /** Refuses a pasted text, or types it at a person's pace until a key is pressed. */
  paste(text, how) {
    seat.send({ type: "pasted", ...seat.talks[this.place].at, characters: [...text].length, how });
    const keys = seat.welcome.paste === "type" ? names.keys(text).keys : null;
    news(say(keys ? "talk.paste_typing" : "talk.paste_refused"));
    const next = () => {
      if (!keys?.length || !seat.takesKeys(this.place)) return;
      this.press(keys.shift());
      this.pasting = setTimeout(next, 90 + 160 * Math.random() ** 2);
    };
    next();
  }

  command(name) {
    const other = [...sides.values()].find((each) => each !== this && !each.made.hidden);
    if (name === "leave") byId("heading").focus();
    else if (name === "read") this.log.focus();
    else other?.turnTo();
  }

  take(keys, fresh) {
    if (fresh) {
      this.pane.clear();
      this.lines.replaceChildren();
      this.read = Infinity; // finished lines of a snapshot were read out before
    }
    for (const [author, key] of keys) this.pane.type(author, names.char(key));
    this.line.draw(this.pane.conversation.draft.join(""));
    // After a reload, go on with the unfinished line.
    if (fresh && untouched && this.pane.conversation.draft.length) this.turnTo();
    this.unread = this.place !== current && !fresh;
  }

  draw() {
    // While the verdict is open, the talk below it also shows this person's unfinished line: the other side has seen it.
    if (view === "verdict" && this.pane.conversation.draft.length) this.pane.type(seat.own, "\n");
    this.pane.draw();
    this.readOut(false);
  }

  /** Announces the other side's finished lines to screen readers; after a silence, `all` lines. */
  readOut(all) {
    const theirs = this.pane.conversation.of[this.other];
    const text = theirs.map((each) => each.chars.join("") + (each.ended ? "\n" : "")).join("");
    const begun = text.lastIndexOf("\n") + 1;
    const end = all ? text.length : begun;
    // If BackSpaces have removed something that was announced, announce the line again.
    if (this.read > text.length) this.read = begun;
    for (const line of text.slice(this.read, end).split("\n").filter((each) => each.trim())) {
      const textContent = say(`talk.said_${this.place}`, { text: line });
      this.lines.append(Object.assign(document.createElement("p"), { textContent }));
    }
    while (this.lines.childElementCount > 50) this.lines.firstChild.remove();
    this.read = Math.max(this.read, end);
    clearTimeout(this.silence);
    if (!all) this.silence = setTimeout(() => this.readOut(true), SILENCE);
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
    for (const side of sides.values()) side.draw();
    showTurns();
    // Report after this frame is painted, and never in a hidden tab.
    setTimeout(() => {
      if (document.visibilityState !== "visible") return;
      for (const [place, n] of heard) seat.painted(place, n);
    });
  });
}

function placeSides() {
  const { places } = seat.state;
  for (const place of places) if (!sides.has(place)) sides.set(place, new Side(place));
  for (const [place, side] of sides) side.made.hidden = !places.includes(place);
  byId("tabs").hidden = places.length < 2;
}

function showTurns() {
  for (const [place, side] of sides) {
    const here = place === current;
    side.made.classList.toggle("here", here);
    const words = say(document.hasFocus() ? "talk.active" : "talk.away");
    const badge = here ? words : say("talk.inactive", { key: "F6" });
    fill(side.badge, seat.takesKeys(place) ? badge : "");
    side.tab.setAttribute("aria-pressed", here);
    fill(side.tab, say(`talk.${place}`) + (side.unread ? " •" : ""));
  }
  put("sentence", sceneNow().sentence);
}

// Decisions: a saved decision counts until the server has saved another one

const { human, confidence, reason } = byId("view-verdict").elements;
const { publish, pseudonym } = byId("view-consent").elements;
let order = new Order({});
let editing = false;

/** Fills a form with a frame's fields, which have the same names. */
function showForm(frame) {
  const form = byId(`view-${view}`);
  form.reset();
  for (const field of form.querySelectorAll("[name]")) {
    if (field.name in frame) form.elements[field.name].value = frame[field.name];
  }
}

// For each decision: the choice as the frame to send, or null while something is missing; and a
// function that shows a frame.
const decisions = {
  consent: {
    message() {
      const said = { publish: publish.value === "true", pseudonym: pseudonym.value };
      return publish.value ? { type: "consent", ...said } : null;
    },
    show: showForm,
  },
  verdict: {
    message() {
      const { round, attempt } = seat.state;
      const said = { human: human.value, confidence: JSON.parse(confidence.value), reason: reason.value.trim() };
      return human.value ? { type: "verdict", round, attempt, ...said } : null;
    },
    show: showForm,
  },
  ranking: {
    message: () => ({ type: "ranks", ranks: order.ranks() }),
    show({ ranks }) {
      const asGiven = Object.keys(seat.rankThese.participants).map((label, at) => [label, at]);
      order = new Order(ranks ?? Object.fromEntries(asGiven));
    },
  },
};

/** The state of this view's decision: `saved`, `sending`, `confirm` or `choose`. */
function step() {
  const { sent, saved } = seat.requests[view];
  if (sent) return "sending";
  if (saved && !editing) return "saved";
  return decisions[view].message() ? "confirm" : "choose";
}

function showDecision() {
  if (!(view in decisions)) return;
  const { saved, refused } = seat.requests[view];
  const now = step();
  const free = now === "choose" || now === "confirm";
  const fields = byId(`view-${view}`).querySelectorAll("input, select, textarea, [data-act]:not([data-act=read])");
  for (const each of fields) each.disabled = !free;
  put("save", free ? say(`${view}.confirm`) : "");
  byId("save").setAttribute("aria-disabled", now !== "confirm");
  put("correct", now === "saved" ? say(`${view}.correct`) : "");
  put("keep", free && saved ? say(`${view}.keep`) : "");
  put("decided", decisionWords(now, saved, refused));
}

function decisionWords(now, saved, refused) {
  const time = saved && new Date(saved.at).toLocaleTimeString(document.documentElement.lang);
  if (refused) return say(`${view}.refused`, { reason: why(refused) });
  if (now === "sending") return say(`${view}.saving${seat.connected ? "" : "_offline"}`);
  if (now === "saved") {
    const name = saved.pseudonym || seat.agreement?.name || seat.welcome.name;
    const form = { consent: saved.publish ? "_publish" : "_withhold", verdict: `_${saved.human}` };
    return say(`${view}.saved${form[view] ?? ""}`, { time, name });
  }
  if (saved) return say(`${view}.correcting`, { time });
  if (view === "ranking") return say(editing ? "ranking.unsaved" : "ranking.unmoved");
  const unsaved = view === "verdict" ? `verdict.you_say_${human.value}` : "consent.unsaved";
  return now === "choose" ? "" : say(unsaved);
}

// Choices that are not saved survive a reload.
const draft = () => `${view}/${nameOf(seat.state)}`;

/** Shows the saved decision, or else the kept choice; there is no other default. */
function showChosen() {
  const { saved } = seat.requests[view];
  const unsaved = saved ? null : seat.memory.get(draft());
  editing = unsaved !== null;
  decisions[view].show(saved ?? unsaved ?? {});
}

function chosen() {
  editing = true;
  seat.memory.put(draft(), decisions[view].message());
  showDecision();
}

byId("save").addEventListener("click", () => {
  if (step() === "choose") announce(say(`${view}.choose_first`));
  if (step() !== "confirm") return;
  if (view === "verdict") keepMet();
  seat.give(decisions[view].message());
  wantsConsent = false;
  show();
});
byId("correct").addEventListener("click", () => {
  editing = true;
  showDecision();
  const form = byId(`view-${view}`);
  (form.querySelector("input:checked") ?? form.querySelector("input, button"))?.focus();
});
byId("keep").addEventListener("click", () => {
  showChosen();
  wantsConsent = false;
  show();
});
for (const form of [byId("view-consent"), byId("view-verdict")]) {
  form.addEventListener("input", chosen);
  // Return moves the focus to the button that saves.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    byId("save").focus();
  });
}

// The ranking, with a reminder of each talk: the verdict and the other side's first words

const FEW = 20; // characters
function keepMet() {
  for (const [place, { pane, other }] of sides) {
    const said = pane.conversation.of[other][0]?.chars ?? [];
    const words = said.slice(0, FEW).join("") + (said.length > FEW ? "…" : "");
    const taken = human.value === place ? "human" : "program";
    seat.memory.put(`met/${nameOf({ ...seat.state, place })}`, { words, taken });
  }
}

// A label is the round and the side of the first talk, such as "1 left".
function participantOf(label) {
  const [round, , place] = seat.rankThese.participants[label][0];
  return say("ranking.participant", { label: `${round} ${say(`ranking.side_${place}`)}` });
}

const whereMet = ([round, , place]) => say("ranking.met", { round, side: say(`ranking.side_${place}`) });

function recalled(talk) {
  const known = seat.memory.get(`met/${talk.join("/")}`);
  if (!known?.words) return whereMet(talk);
  return `${whereMet(talk)} – ${say(`ranking.recalled_${known.taken}`, known)}`;
}

function showRanking() {
  const ties = seat.rankThese.ties ?? true;
  byId("ranking-ties").textContent = say(ties ? "browser.ties" : "ranking.no_ties");
  const { id } = document.activeElement;
  list.replaceChildren(...order.places().map((row, at) => orderRow(row, at, ties)));
  byId(id)?.focus();
}

function orderRow({ label, place, shared }, at, ties) {
  const row = byId("row").content.firstElementChild.cloneNode(true);
  const participant = participantOf(label);
  const [words, , recall] = row.firstElementChild.children;
  words.textContent = say(`ranking.row${shared ? "_shared" : ""}`, { place, participant });
  recall.textContent = seat.rankThese.participants[label].map(recalled).join("; ");
  for (const button of row.querySelectorAll("button")) {
    const { act } = button.dataset;
    button.id = `${act}-${label}`;
    if (act === "share") button.hidden = !ties || at === 0;
    if (act === "share" && order.rows[at].tied) button.textContent = say("ranking.split");
    button.setAttribute("aria-label", `${button.textContent}: ${participant}`);
  }
  return row;
}

function moved(label, change) {
  if (step() !== "confirm") return;
  change();
  chosen();
  showRanking();
  const { place, shared } = order.places().find((row) => row.label === label);
  const participant = participantOf(label);
  announce(say(`ranking.moved${shared ? "_shared" : ""}`, { participant, place }));
}

const list = byId("order");
const rowOf = ({ target }) => [...list.children].indexOf(target.closest("li"));
const labelOf = (event) => order.rows[rowOf(event)]?.label;
list.addEventListener("click", (event) => {
  const { act } = event.target.dataset;
  const [at, label] = [rowOf(event), labelOf(event)];
  if (act === "read") readAgain(label);
  if (act === "share") moved(label, () => order.share(label));
  if (act === "up") moved(label, () => order.move(label, at - 1));
  if (act === "down") moved(label, () => order.move(label, at + 1));
});
list.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", labelOf(event)));
list.addEventListener("dragover", (event) => event.preventDefault());
list.addEventListener("drop", (event) => {
  event.preventDefault();
  const [to, label] = [rowOf(event), event.dataTransfer.getData("text/plain")];
  if (to >= 0 && label in seat.rankThese.participants) moved(label, () => order.move(label, to));
});

// The talk that the judge reads again
let reading = null;
const reader = new Pane(byId("reader-log"), { judge: say("talk.you"), entity: say("talk.partner") });

function readAgain(label) {
  const talks = seat.rankThese.participants[label];
  const at = reading?.label === label ? (reading.at + 1) % talks.length : 0;
  const [round, attempt, place] = talks[at];
  reading = { label, at };
  seat.give({ type: "read", round, attempt, place });
  byId("reader").hidden = false;
  put("reader-heading", `${participantOf(label)} – ${whereMet(talks[at])}`);
  showReader();
  byId("reader-heading").focus();
}

function showReader() {
  const { sent, saved, refused } = seat.requests.read;
  reader.clear();
  if (sent) reader.log.textContent = say("ranking.loading");
  else if (refused) reader.log.textContent = say("ranking.unreadable", { reason: why(refused) });
  else for (const [, author, key] of saved?.keys ?? []) reader.type(author, names.char(key));
  reader.draw();
  reader.log.scrollTop = 0;
}

// The views

/** The current view, its heading, and a sentence on what to do now or wait for. */
function sceneNow() {
  if (!seat || seat.ended) return { view: "code", heading: say("join.heading"), sentence: "" };
  const { welcome, state, requests } = seat;
  if (!welcome) return { view: "", heading: say("join.heading"), sentence: say("link.connecting") };
  const { phase, places, reason } = state;
  const isAsked = phase !== "closed" && (!requests.consent.saved || requests.consent.sent);
  if (mayConsent() && (isAsked || wantsConsent)) {
    return { view: "consent", heading: say("consent.heading"), sentence: say("consent.intro") };
  }
  const judges = welcome.role === "judge";
  let [shown, heading, sentence] = ["", `phase.${phase}.heading`, `phase.${phase}.${welcome.role}`];
  if (phase === "interaction" || phase === "paused") shown = "talk";
  if (phase === "interaction" && !judges && !seat.takesKeys("only")) sentence = "confederate.wait";
  if (phase === "scoring" && judges) shown = "verdict";
  const isOn = ["interaction", "paused", "scoring"].includes(phase);
  if (isOn && !places.length) [shown, sentence] = ["", "phase.idle"];
  if (phase === "scoring" && !shown) heading = "phase.scoring.elsewhere";
  if (phase === "closed" && state.round >= welcome.rounds) sentence = `phase.closed_last.${welcome.role}`;
  if (phase === "ranking" && judges) [shown, sentence] = seat.rankThese ? ["ranking", sentence] : ["", "phase.soon"];
  if (phase === "over" && seat.rankThese && !requests.ranking.saved) sentence = "phase.over.unsaved";
  const words = reason ? [say(sentence), say("phase.reason", { reason })] : [say(sentence)];
  return { view: shown, heading: say(heading), sentence: words.join(" ") };
}

function mayConsent() {
  return seat.agreement && ["before", "waiting", "closed"].includes(seat.state.phase);
}

function show() {
  const before = view;
  const scene = sceneNow();
  view = scene.view;
  byId("main").dataset.view = view;
  showTop(scene);
  if (view !== before && view in decisions) showChosen();
  if (view === "code") showCode();
  if (view === "talk") placeSides();
  if (view === "ranking") showRanking();
  if (seat) scheduleDrawing();
  showDecision();
  if (view === before) return;
  // Focus the element that the person needs next, but no button or choice that keys would activate.
  if (before && before !== "code" && view in decisions) shutGate();
  if (view === "talk") sides.get(seat.state.places[0]).turnTo();
  else byId(view === "code" ? "code" : "heading").focus();
}

function showTop({ heading, sentence }) {
  const { welcome, state } = seat ?? {};
  const isNew = byId("heading").textContent !== heading;
  put("heading", heading);
  put("sentence", sentence);
  if (!welcome) return;
  if (isNew) announce(`${heading}. ${sentence}`);
  document.title = say(`window.${welcome.role}`, { contest: welcome.contest, seat: welcome.seat });
  const name = seat.requests.consent.saved?.pseudonym || welcome.name || welcome.seat;
  const round = { round: state.round, rounds: welcome.rounds, attempt: state.attempt };
  const where = [say(`talk.who_${welcome.role}`, { name })];
  if (state.round) where.push(say(state.attempt > 1 ? "talk.attempt" : "talk.round", round));
  put("where", where.join(" · "));
  const down = seat.unconfirmed || view === "talk" ? "link.down" : "link.trying";
  put("link", seat.connected ? "" : say(down));
  put("agreement", seat.agreement?.text ?? "");
  put("pseudonym-hint", say("consent.pseudonym_hint", { name: seat.agreement?.name || welcome.name }));
  byId("consent-open").hidden = !mayConsent() || view === "consent";
  if (seat.lostKeys) news(say("link.lost_keys", { n: seat.lostKeys }));
}

function showCode() {
  const ended = seat?.ended;
  put("code-trouble", ended ? why(ended) : "");
  byId("code-over").hidden = ended?.code !== "seat-taken";
  byId("code-keyboard").hidden = ended?.code !== "keyboard";
  if (!ended) return;
  connection.close();
  if (ended.code === "keyboard") byId("code").value = seat.code;
  if (ended.code !== "seat-taken") remember(null);
}

// The clock and its warnings

let [left, warnedOf] = [countdown()];
function tick() {
  const now = seat?.welcome ? left() : null;
  if (now === null) return put("clock", "");
  const { phase, remaining_ms: whole } = seat.state;
  const seconds = Math.ceil(now / 1000);
  put("clock", phase === "paused" ? `${clock(now)} – ${say("clock.stopped")}` : clock(now));
  byId("clock").dataset.level = seconds <= 20 ? "last" : seconds <= 120 ? "soon" : "calm";
  const isOn = ["interaction", "paused", "scoring"].includes(phase);
  // Warn only if the whole phase is longer than that.
  const at = WARNINGS.find((each) => isOn && seconds <= each && each * 1000 < whole);
  if (at && at !== warnedOf) news(at < 60 ? say("clock.seconds", { n: at }) : say("clock.minutes", { n: at / 60 }), WARNED);
  warnedOf = at;
}
setInterval(tick, 250);

// After a view with buttons appears, keys have no effect on it until the person stops typing.

let gateOpens = 0;
function shutGate() {
  gateOpens = performance.now() + QUIET;
  news(say("window.keys_stopped"), QUIET);
}
for (const type of ["keydown", "keyup", "beforeinput"]) {
  addEventListener(type, (event) => {
    if (performance.now() >= gateOpens) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    shutGate();
  }, { capture: true });
}

// The page

addEventListener("beforeunload", (event) => {
  const undecided = view === "verdict" && !seat.requests.verdict.saved;
  if (view === "talk" || undecided || seat?.unconfirmed) event.preventDefault();
});
for (const type of ["focus", "blur", "visibilitychange"]) addEventListener(type, () => seat && scheduleDrawing(), true);
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
  const code = decodeURIComponent(location.hash.slice(1)) || history.state?.code;
  byId("keyboard").checked = history.state?.hardware ?? false;
  if (code) begin(code, false);
  else show();
}
addEventListener("hashchange", start);
start();
