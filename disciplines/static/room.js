// A person's seat in a room: shows the seat's view, which the server sends, and sends the person's
// turns. Each frame is complete, so missed frames don't matter.
import { clock, countdown } from "../pages/clock.js";
import { connect } from "../pages/live.js";
import { byId, fill } from "../pages/page.js";

const code = decodeURIComponent(location.pathname.split("/").pop());
const [say, text, choose, call, choice, fields] = ["say", "text", "choose", "call", "function", "fields"].map(byId);
const log = byId("log");
// The WebSocket close code for a frame that is too long.
const TOO_BIG = 1009;
const panels = byId("panels");

let seen = null; // the last frame
let connected = false;
let left = countdown();
let focused = ""; // the last turn for which the focus was set

// Input that the server hasn't taken survives a reload. It is `{text, name, values}`, with the
// function's name and its fields; `sent` is the frame that was sent, until it is taken.
const key = `room/${code}`;
let kept = { text: "", name: "", values: {}, sent: null };
try {
  kept = { ...kept, ...JSON.parse(localStorage.getItem(key)) };
} catch {
  // The storage is blocked, or its content is not ours.
}
function keep() {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // The storage is full or blocked; the page still works.
  }
}

const element = (name, properties = {}, ...inner) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inner);
  return made;
};
const spaced = (name) => name.replaceAll("_", " ");

// The turn

const isMine = () => Boolean(seen?.turn) && !seen.over;
const isSent = () => isMine() && kept.sent?.turn === seen.turn;

/** Forgets the sent frame once the server has taken it, and sends it again if it hasn't. */
function settle() {
  const { sent } = kept;
  if (!sent || !seen) return;
  if (sent.turn === seen.turn) {
    if (seen.took !== sent.turn) connection.send(sent);
    return;
  }
  // After a restart, the server doesn't know what it took before.
  const isThere = sent.text && seen.messages.some(([, said]) => said.trim() === sent.text.trim());
  const taken = seen.took === sent.turn || isThere;
  kept.sent = null;
  if (taken && sent.type === "said" && kept.text === sent.text) kept.text = "";
  if (taken && sent.type === "called") kept.values = {};
  if (!taken) {
    fill(byId("trouble"), "Your last message may have come too late. Check whether it is in the dialogue.");
  }
  keep();
  text.value = kept.text;
  showFields();
}

function send(frame) {
  if (!isMine() || isSent()) return;
  kept.sent = { ...frame, turn: seen.turn };
  keep();
  fill(byId("trouble"), "");
  connection.send(kept.sent);
  showTurn();
}

/** Drops a refused frame; its content stays in the form. */
function giveUp(why) {
  kept.sent = null;
  keep();
  fill(byId("trouble"), why);
  showTurn();
}

function turnWords() {
  if (!seen) return "Connecting …";
  if (seen.over) return "The dialogue is over. Thank you; you can close this page.";
  if (isSent()) return connected ? "Sending …" : "Not connected. Your message will be sent as soon as possible.";
  if (isMine()) return "It is your turn.";
  return `Wait for ${seen.waits_for || "the others"}.`;
}

function showTurn() {
  fill(byId("turn"), turnWords());
  byId("turn").classList.toggle("ok", isMine() && !isSent());
  byId("link").hidden = connected || !seen || seen.over;
  say.hidden = !isMine() || seen.choices.length > 0;
  choose.hidden = !isMine() || !seen.choices.length;
  call.hidden = !isMine() || !seen.functions.length;
  text.readOnly = isSent();
  for (const each of document.querySelectorAll("form button, #call select, #fields :is(input, select)")) {
    each.disabled = isSent();
  }
  const isNew = isMine() && seen.turn !== focused;
  focused = seen?.turn ?? "";
  // Don't take the focus away from anything that the person reads or fills in.
  const { activeElement: active } = document;
  const isFree = active === document.body || active === byId("main") || !active.offsetParent;
  if (isNew && isFree) (say.hidden ? byId("h-choose") : text).focus({ preventScroll: true });
}

// The dialogue

function showMessages(before) {
  const { messages } = seen;
  // Only new messages are drawn, so that only these are read out.
  const other = before.findIndex(([who, said], at) => messages[at]?.[0] !== who || messages[at][1] !== said);
  const follows = !other || log.scrollHeight - log.scrollTop - log.clientHeight < 48;
  while (other >= 0 && log.childElementCount > other) log.lastChild.remove();
  for (const [who, said] of messages.slice(log.childElementCount)) {
    const words = element("span", { dir: "auto", textContent: said });
    log.append(element("p", { className: "line" }, element("b", { textContent: `${who}: ` }), words));
  }
  if (follows) log.scrollTop = log.scrollHeight;
  // The messages so far are not read out when the page is opened.
  setTimeout(() => log.setAttribute("aria-live", "polite"));
}

function showPanels() {
  seen.panels.forEach(([label, lines], at) => {
    let made = panels.children[at];
    if (!made) {
      made = element("details", { className: "card", open: at < 2 }, element("summary"));
      panels.append(made);
    }
    const inside = JSON.stringify([label, lines]);
    if (made.inside === inside) return;
    made.inside = inside;
    const summary = made.firstElementChild;
    summary.textContent = label;
    const shown = lines.map((line) => element("p", { className: "line", dir: "auto", textContent: line }));
    made.replaceChildren(summary, ...shown);
  });
  while (panels.childElementCount > seen.panels.length) panels.lastChild.remove();
}

function showChoices(before) {
  if (JSON.stringify(before) === JSON.stringify(seen.choices)) return;
  byId("choices").replaceChildren(...seen.choices.map((value) => element("button", { value, textContent: value })));
}

// The functions: a form from the schema of each

const chosen = () => seen?.functions.find((each) => each.function.name === choice.value)?.function;

function showFunctions(before) {
  if (JSON.stringify(before) === JSON.stringify(seen.functions)) return;
  const names = seen.functions.map((each) => each.function.name);
  choice.replaceChildren(...names.map((name) => element("option", { value: name, textContent: spaced(name) })));
  if (names.includes(kept.name)) choice.value = kept.name;
  showFields();
}

function field(name, { type, enum: values, description = "" }, required) {
  const id = `field-${name}`;
  const held = kept.values[name];
  const label = element("label", { htmlFor: id, textContent: spaced(name) + (required ? "" : " (optional)") });
  if (type === "boolean") {
    const box = element("input", { id, name, type: "checkbox", checked: Boolean(held) });
    return [element("p", { className: "choice" }, box, label)];
  }
  let input;
  if (values) {
    const options = (required ? values : ["", ...values]).map((value) => element("option", { value, textContent: spaced(value) }));
    input = element("select", { id, name }, ...options);
  } else {
    const isNumber = type === "integer" || type === "number";
    input = element("input", { id, name, type: isNumber ? "number" : "text", autocomplete: "off" });
    if (type === "number") input.step = "any";
  }
  input.required = required;
  if (held !== undefined) input.value = held;
  if (!description) return [label, input];
  input.setAttribute("aria-describedby", `${id}-about`);
  return [label, input, element("p", { id: `${id}-about`, className: "hint", textContent: description })];
}

function showFields() {
  const made = chosen();
  fill(byId("about"), made?.description ?? "");
  const { properties = {}, required = [] } = made?.parameters ?? {};
  const all = Object.entries(properties);
  fields.replaceChildren(...all.flatMap(([name, schema]) => field(name, schema, required.includes(name))));
}

/** The arguments in the form, without optional fields that are empty. */
function argumentsOf(made) {
  const given = {};
  for (const [name, { type }] of Object.entries(made.parameters?.properties ?? {})) {
    const input = byId(`field-${name}`);
    if (type === "boolean") given[name] = input.checked;
    else if (input.value === "" && !input.required) continue;
    else given[name] = type === "integer" || type === "number" ? Number(input.value) : input.value;
  }
  return given;
}

// What the person does

text.value = kept.text;
text.addEventListener("input", () => {
  kept.text = text.value;
  keep();
});
text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  say.requestSubmit();
});
say.addEventListener("submit", (event) => {
  event.preventDefault();
  // Half a character can't be sent.
  kept.text = text.value.toWellFormed?.() ?? text.value;
  if (kept.text.trim()) send({ type: "said", text: kept.text });
  else fill(byId("trouble"), "Write something first.");
});
choose.addEventListener("submit", (event) => {
  event.preventDefault();
  send({ type: "said", text: event.submitter.value });
});
choice.addEventListener("change", () => {
  kept.name = choice.value;
  kept.values = {};
  keep();
  showFields();
});
fields.addEventListener("input", ({ target }) => {
  kept.values[target.name] = target.type === "checkbox" ? target.checked : target.value;
  keep();
});
call.addEventListener("submit", (event) => {
  event.preventDefault();
  const made = chosen();
  if (made) send({ type: "called", name: made.name, arguments: argumentsOf(made) });
});

// The connection

const connection = connect(
  "/seat",
  {
    here: () => connection.send({ type: "hello", code, version: 1 }),
    away(closeCode) {
      connected = false;
      if (closeCode === TOO_BIG) giveUp("Your message is too long to be sent.");
      showTurn();
    },
    over: () => Boolean(seen?.over),
    message(frame) {
      if (frame.type === "refused") {
        giveUp(`${frame.message[0].toUpperCase()}${frame.message.slice(1)}.`);
        return;
      }
      const before = seen ?? { messages: [], functions: [], choices: [] };
      connected = true;
      seen = frame;
      fill(byId("title"), frame.title || "Your seat");
      document.title = frame.title || "Your seat";
      left = countdown(frame.remaining_ms ?? null);
      settle();
      showMessages(before.messages);
      showPanels();
      showChoices(before.choices);
      showFunctions(before.functions);
      showTurn();
      tick();
    },
  },
  { first: 200, longest: 4000, silence: 12000 },
);

function tick() {
  const now = left();
  fill(byId("clock"), isMine() && now !== null ? clock(now) : "");
}
setInterval(tick, 250);
