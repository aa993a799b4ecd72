// A page of the board with live updates: its top shows whether the server is reachable.

import { connect } from "/static/pages/live.js";
import { say } from "/static/pages/say.js";

// The server's close code for a session that has ended (contest/organizer/board.py).
const LOGGED_OUT = 4401;

function mark(look, words) {
  const shown = document.getElementById("connection-mark");
  shown.className = `mark ${look}`;
  shown.textContent = words;
}

/**
 * @param {string} path the socket's address
 * @param {(data: object) => void} message takes each update
 */
export function follow(path, message) {
  connect(path, {
    message,
    here: () => mark("ok", say("board.script.live")),
    away: () => {
      mark("bad", say("board.script.away"));
      document.getElementById("heard").textContent = say("board.script.retry");
    },
    over: (code) => {
      if (code === LOGGED_OUT) location.assign("/board/login");
      return code === LOGGED_OUT;
    },
  });
}
