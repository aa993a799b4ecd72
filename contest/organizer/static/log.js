// The log, live: on its newest page new events come in above the others, and who reads goes on
// reading; whoever reads an older page, or could not be told all, hears how many have come.

import { morph, morphAll } from "/static/pages/morph.js";
import { follow } from "/static/organizer/following.js";

// Events on the page while somebody reads on in it; then it is only said how many come.
const MOST = 500;
// Milliseconds between two announcements, and in which what comes at once is told at once.
const QUIET = 10000;
const GATHER = 1000;

const heard = document.getElementById("heard");
const region = document.getElementById("log");
const events = document.getElementById("events");
const newest = "newest" in region.dataset;
// Events on a page, as the server has it.
const PAGE = Number(region.dataset.size);
const withKeys = new URLSearchParams(location.search).get("talk");
const found = () => Number(document.getElementById("news").dataset.found);

// How many of the events that fit are known to who reads, and whether no more are shown here.
let known = found();
let stopped = !newest;

follow(region.dataset.live, ({ parts = {} }) => {
  const back = anchor();
  const rows = Object.keys(parts).filter((name) => name.startsWith("event-"));
  const came = take(rows.map((name) => rowOf(parts[name])));
  for (const name of rows) delete parts[name];
  const before = found();
  // What page this is, and which are there, is not said of events that are not shown.
  if (stopped) morphAll(parts.news ?? "");
  else morphAll(Object.values(parts).join(""));
  if (!stopped) known = found();
  count();
  back();
  announce(stopped && !withKeys ? found() - before : came);
});

function rowOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

const number = (row) => Number(row.id.slice("event-".length));

// Puts rows in, the newest first, and gives how many of them are new and no key presses.
function take(rows) {
  if (!rows.length) return 0;
  const fresh = rows.filter((row) => !document.getElementById(row.id));
  // More than a page has come at once: what lies between was not told.
  const gap = events.rows.length && fresh.length >= PAGE;
  if (!stopped && held() && (gap || events.rows.length + fresh.length > MOST)) stopped = true;
  if (stopped) return 0;
  if (gap) events.replaceChildren();
  for (const row of rows) {
    const old = document.getElementById(row.id);
    if (old) morph(old, row);
  }
  for (const row of fresh) {
    const below = [...events.rows].find((each) => number(each) < number(row));
    events.insertBefore(row, below ?? null);
  }
  region.hidden = !events.rows.length;
  prune();
  return fresh.filter((row) => !("key" in row.dataset)).length;
}

// Whether somebody reads on in the table, or has chosen some of its text.
function held() {
  return selected() || events.getBoundingClientRect().top < 0;
}

function selected() {
  const choice = getSelection();
  return !choice.isCollapsed && choice.containsNode(events, true);
}

// Where the first row in sight stands; the returned function puts it back there.
function anchor() {
  if (events.getBoundingClientRect().top >= 0) return () => {};
  const row = [...events.rows].find((each) => each.getBoundingClientRect().bottom > 0);
  const top = row?.getBoundingClientRect().top;
  return () => {
    if (row?.isConnected) scrollBy(0, row.getBoundingClientRect().top - top);
  };
}

// Takes rows away below that are more than a page; none that is in sight or chosen.
function prune() {
  const choice = getSelection();
  while (events.rows.length > PAGE) {
    const row = events.rows[events.rows.length - 1];
    if (!choice.isCollapsed && choice.containsNode(row, true)) return;
    if (row.getBoundingClientRect().top < innerHeight) return;
    row.remove();
  }
}

const inWords = (many) => `${many} new event${many === 1 ? "" : "s"}`;

function count() {
  const news = document.getElementById("news");
  const more = found() - known;
  news.hidden = more <= 0;
  if (more > 0) news.firstElementChild.textContent = inWords(more);
}

// Announced: what has come, now and then, and no key presses.
let unheard = 0;
let timer = 0;
let last = -QUIET;

function announce(many) {
  unheard += Math.max(0, many);
  if (!unheard || timer) return;
  timer = setTimeout(() => {
    heard.textContent = `${inWords(unheard)}.`;
    unheard = timer = 0;
    last = performance.now();
  }, Math.max(GATHER, last + QUIET - performance.now()));
}
