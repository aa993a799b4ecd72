// The audience's page during a contest: draws the server's frames as text, and counts down the time
// between them.
import { clock, countdown } from "../pages/clock.js";
import { connect, inflates } from "../pages/live.js";
import { morph } from "../pages/morph.js";
import { announce, byId, fill } from "../pages/page.js";
import { say } from "../pages/say.js";

const { Pane } = window.talks;
const hall = document.documentElement.classList.contains("hall");

// Milliseconds between two messages to the server about which desks are in view.
const REST = 150;

// The drawn desks by their JSON from the server, and the panes by talk.
let drawn = new Map();
let panes = new Map();
let phase = null;
let words = "";
let remaining = countdown();
let isOver = false;
let desks = [];
let planned = 0;
let last = 0;
let wanted = new URLSearchParams(location.search).get("desk") ?? "";
// The desks in view, and those that were last reported to the server.
const inView = new Set();
let followed = "";
let resting = 0;

function element(name, { text, ...attributes } = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

// The phase and its clock

function showPhase(next) {
  const { round: number, attempt } = next;
  const fields = { round: number, rounds: Math.max(number, planned), attempt };
  const round = say(attempt > 1 ? "audience.attempt" : "audience.round", fields);
  const said = say(`audience.now.${next.now}`, { round });
  // Screen readers announce phases and steps of the reveal, but no keys.
  if (phase && words !== said) announce(said);
  phase = next;
  words = said;
  remaining = countdown(next.remaining_ms, next.runs ? next.speed : 0);
  byId("words").textContent = words;
  document.body.dataset.phase = next.phase;
  showClock();
  showPlanStates();
}

function showClock() {
  const left = remaining();
  fill(byId("left"), left === null ? "" : say("audience.time_left", { time: clock(left) }));
}

// The desks

function showDesks(next) {
  // An unchanged desk keeps its text until its talks are sent again.
  const before = drawn;
  drawn = new Map();
  for (const desk of next) {
    const said = JSON.stringify(desk);
    drawn.set(said, before.get(said) ?? drawDesk(desk));
  }
  desks = next;
  panes = new Map([...drawn.values()].flatMap((each) => each.panes));
  byId("desks").replaceChildren(...[...drawn.values()].map((each) => each.made));
  byId("none").hidden = next.length > 0;
  byId("none").textContent = say(
    phase.phase === "over" ? "audience.step_by_step" : "audience.nobody",
  );
  const isRevealed = byId("outcome").childElementCount > 0;
  for (const id of ["talks", "to-talks"]) byId(id).hidden = next.length === 0 && isRevealed;
  byId("later-named").hidden = isRevealed;
  // In the hall, as many columns as rows.
  byId("desks").style.setProperty("--beside", Math.ceil(Math.sqrt(next.length)));
  showChoice();
  observer.disconnect();
  for (const judge of inView) if (!next.some((desk) => desk.judge === judge)) inView.delete(judge);
  for (const { made } of drawn.values()) observer.observe(made);
}

function deskName({ number }) {
  return say("audience.desk", { number });
}

function drawDesk(desk) {
  const id = `desk-${desk.number}`;
  const who = desk.name === desk.judge ? desk.judge : `${desk.name} (${desk.judge})`;
  const heading = element("h3", { id });
  heading.append(element("span", { class: "number", text: deskName(desk) }), " ");
  const judge = say("audience.who", { who });
  heading.append(element("span", { class: "who", dir: "auto", text: judge }));
  const made = element("article", { class: "desk", "aria-labelledby": id }, heading);
  made.dataset.desk = desk.judge;
  if (desk.closed) {
    made.append(element("p", { class: "closed", text: say("audience.closed") }));
    return { made, panes: [] };
  }
  const own = [];
  const pair = element("div", { class: "pair" });
  for (const talk of desk.talks) {
    const isLeft = talk.side === "left";
    const entity = say(isLeft ? "audience.left" : "audience.right");
    const place = isLeft ? "audience.desk_left" : "audience.desk_right";
    const log = element("div", {
      class: "log",
      role: "region",
      tabindex: "0",
      "aria-label": say(place, { number: desk.number }),
    });
    own.push([talk.id, new Pane(log, { judge: say("audience.judge"), entity })]);
    pair.append(element("section", { class: "pane" }, element("h4", { text: entity }), log));
  }
  made.append(pair);
  return { made, panes: own };
}

function type(talks, fresh) {
  for (const [id, typed] of Object.entries(talks)) {
    const pane = panes.get(id);
    if (!pane) continue;
    if (fresh) pane.clear();
    for (const [author, text] of typed) pane.type(author, text);
    pane.draw();
  }
}

// The desks in view: the server sends keys for these only

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inView.add(target.dataset.desk);
      else inView.delete(target.dataset.desk);
    }
    followSoon();
  },
  // Include desks near the window, so that they are ready when somebody scrolls to them.
  { rootMargin: "50% 0px" },
);

function followSoon() {
  resting ||= setTimeout(() => {
    resting = 0;
    follow();
  }, REST);
}

function follow() {
  const isSeen = document.visibilityState === "visible";
  const seen = desks.map((desk) => desk.judge).filter((judge) => isSeen && inView.has(judge));
  if (seen.join() === followed) return;
  followed = seen.join();
  connection.send({ type: "follow", desks: seen });
}

document.addEventListener("visibilitychange", followSoon);

// The shown desks: all, or one

function showChoice() {
  const known = desks.some((desk) => desk.judge === wanted);
  const choice = byId("desk");
  const each = desks.map((desk) => [desk.judge, deskName(desk)]);
  const options = [["", say("audience.all_desks")], ...each];
  const made = options.map(([value, text]) => element("option", { value, text }));
  choice.replaceChildren(...made);
  choice.value = known ? wanted : "";
  const shown = [...byId("desks").children];
  for (const desk of shown) desk.hidden = known && desk.dataset.desk !== wanted;
  byId("desks").classList.toggle("one", known || shown.length === 1);
  for (const pane of panes.values()) pane.log.scrollTop = pane.log.scrollHeight;
}

function choose(desk) {
  wanted = desk;
  const address = new URL(location.href);
  if (desk) address.searchParams.set("desk", desk);
  else address.searchParams.delete("desk");
  // Write `?hall` without an equals sign, as people type it.
  history.replaceState(null, "", address.href.replace(/([?&]hall)=(?=&|$)/, "$1"));
  showChoice();
}

byId("desk").addEventListener("change", (event) => choose(event.target.value));

// In the hall, the keys 1 to 9 choose a desk, and 0 chooses all.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (!hall || typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "0") choose("");
  const desk = desks.find((each) => String(each.number) === event.key);
  if (desk) choose(desk.judge);
});

// The schedule

function showPlan(plan) {
  byId("plan").replaceChildren(
    ...plan.map((judges, at) => {
      const names = judges.map(({ id, name }) => (id === name ? id : `${name} (${id})`));
      return element(
        "tr",
        {},
        element("th", { scope: "row", text: say("audience.round_number", { round: at + 1 }) }),
        element("td", { dir: "auto", text: names.join(", ") }),
        element("td", { class: "state" }),
      );
    }),
  );
  showPlanStates();
}

function showPlanStates() {
  if (!phase) return;
  const after = ["ranking", "over"].includes(phase.phase);
  [...byId("plan").rows].forEach((row, at) => {
    const round = at + 1;
    const over = after || round < phase.round || (round === phase.round && phase.phase === "closed");
    const on = !over && round === phase.round;
    let state = over ? "audience.state.over" : "audience.state.to_come";
    if (on) state = "audience.state.on";
    if (round > last) state = "audience.state.not_played";
    row.querySelector(".state").textContent = say(state);
    row.classList.toggle("current", on);
  });
}

// The revealed part of the result

function showOutcome(html, archive) {
  const fresh = element("div", { id: "outcome" });
  // HTML from the server, which escapes all names and texts of people and programs.
  const template = document.createElement("template");
  template.innerHTML = html;
  fresh.append(template.content);
  const old = byId("outcome");
  const before = new Set([...old.querySelectorAll("[data-step]")].map((each) => each.dataset.step));
  morph(old, fresh);
  const steps = [...old.querySelectorAll("[data-step]")].filter(
    (each) => !before.has(each.dataset.step),
  );
  if (steps.length && phase) announce(steps.map((each) => each.dataset.says).join(". "));
  for (const each of steps) {
    each.classList.add("fresh");
    each.addEventListener("animationend", () => each.classList.remove("fresh"), { once: true });
  }
  if (hall && steps.length) steps[0].scrollIntoView({ block: "nearest" });
  for (const link of document.querySelectorAll(".archived")) link.hidden = !archive;
}

// Frames from the server

const connection = connect(`/watch/live?follow=&lang=${document.documentElement.lang}${inflates ? "&deflate" : ""}`, {
  message(frame) {
    if (frame.type === "whole") {
      showOutcome(frame.outcome, frame.archive);
      planned = frame.plan.length;
      showPhase(frame.phase);
      showDesks(frame.desks);
      last = frame.last;
      showPlan(frame.plan);
      isOver = frame.archive;
    } else if (frame.type === "phase") {
      showPhase(frame);
    } else if (frame.type === "talks" || frame.type === "keys") {
      type(frame.talks, frame.type === "talks");
    }
  },
  here() {
    fill(byId("away"), "");
    followed = "";
    follow();
  },
  away() {
    fill(byId("away"), say(isOver ? "audience.away_for_good" : "audience.away"));
  },
});

setInterval(showClock, 250);
document.documentElement.classList.add("live");
