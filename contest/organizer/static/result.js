// The current result: updated part by part, without disturbing a form that somebody is filling in.

import { morphAll } from "/static/pages/morph.js";
import { follow } from "/static/organizer/following.js";

const heard = document.getElementById("heard");
const inWords = () => document.getElementById("result-state")?.textContent ?? "";
let state = inWords();

follow("/board/live/result", ({ parts = {} }) => {
  const focused = document.activeElement;
  morphAll(Object.values(parts).join(""));
  const now = inWords();
  if (now !== state) heard.textContent = state = now;
  if (!focused.isConnected) document.getElementById("result-head").focus();
});
