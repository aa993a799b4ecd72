// The organizer's board: shows the server's updates, counts down the time, and sends the orders'
// forms without leaving the page. Without this script the forms still work.

import { clock, countdown } from "/static/pages/clock.js";
import { morphAll } from "/static/pages/morph.js";
import { say as text } from "/static/pages/say.js";
import { follow } from "/static/organizer/following.js";

const said = document.getElementById("said");
const heard = document.getElementById("heard");

// The clock

const left = document.getElementById("left");
let remaining = countdown();

function setClock({ left: seconds, speed }) {
  remaining = countdown(seconds === null ? null : seconds * 1000, speed);
  tick();
}

function tick() {
  const now = remaining();
  document.getElementById("left-line").hidden = now === null;
  if (now !== null && left.textContent !== clock(now)) left.textContent = clock(now);
}

if (left) {
  const { left: seconds, speed } = left.dataset;
  setClock({ left: seconds === "" ? null : Number(seconds), speed: Number(speed) });
  setInterval(tick, 200);
}

// The server

let state = document.getElementById("state")?.textContent;

function show({ parts = {}, clock: newClock }) {
  const focused = document.activeElement;
  morphAll(Object.values(parts).join(""));
  if (newClock) setClock(newClock);
  const now = document.getElementById("state").textContent;
  if (now !== state) heard.textContent = state = now;
  // The pressed button may have disappeared: move the focus to the contest's state.
  if (!focused.isConnected) document.getElementById("state").focus();
}

if (left) follow("/board/live", show);

// Orders

function say(words, look) {
  said.textContent = words;
  said.className = `note ${look}`;
  said.hidden = !words;
}

function confirmed(form, words) {
  const box = document.createElement("div");
  box.className = "sure";
  box.dataset.own = "";  // keep it while the form around it is updated
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", text("board.script.sure"));
  const question = document.createElement("p");
  question.textContent = `${words} ${text("board.script.no_undo")}`;
  const give = form.querySelector("button[type=submit]");
  const yes = button(text("board.script.yes", { button: give.textContent.trim() }), "grave");
  const no = button(text("board.script.no"), "");
  const line = document.createElement("p");
  line.className = "give";
  line.append(yes, no);
  box.append(question, line);
  const close = () => {
    box.remove();
    give.focus();
  };
  yes.addEventListener("click", () => {
    close();
    send(form, true);
  });
  no.addEventListener("click", close);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  form.querySelector(".sure")?.remove();
  form.append(box);
  box.scrollIntoView({ block: "nearest" });
  yes.focus({ preventScroll: true });
}

function button(words, look) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = look;
  made.textContent = words;
  return made;
}

async function send(form, sure) {
  const data = new URLSearchParams(new FormData(form));
  data.set("form", document.body.dataset.form);
  if (sure) data.set("sure", "yes");
  const give = form.querySelector("button[type=submit]");
  give.setAttribute("aria-busy", "true");
  const answer = await reach(form, data);
  give.removeAttribute("aria-busy");
  if (answer) take(form, answer);
}

async function reach(form, data) {
  try {
    // Read the attribute, because `form.action` is the field with that name.
    const answer = await fetch(form.getAttribute("action"), {
      method: "POST",
      headers: { Accept: "application/json" },
      body: data,
    });
    if (answer.status === 401) location.assign("/board/login");
    return await answer.json();
  } catch {
    say(text("board.script.lost"), "bad");
    return null;
  }
}

function take(form, { done, code, confirm, error }) {
  if (confirm) return confirmed(form, confirm);
  if (error) return say(error, "bad");
  say(code ? `${done}: ${code}` : text("board.script.done", { done }), "ok");
  form.reset();
  const order = form.closest("details");
  if (order?.open) {
    order.open = false;
    order.querySelector("summary").focus();
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-order]")) return;
  event.preventDefault();
  send(event.target, false);
});

// A button that links to an order opens its form and focuses the first field.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#order-"]');
  const order = link && document.getElementById(link.hash.slice(1));
  if (!order) return;
  event.preventDefault();
  order.open = true;
  order.scrollIntoView({ block: "center" });
  (order.querySelector("input:not([type=hidden]), select") ?? order.querySelector("summary")).focus();
});
