// A page that shows what the server says: a socket that comes back by itself, and says whether it
// is there. Whatever comes is the newest state; nothing that was missed has to be made up for.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
// The server says something at least every few seconds; silence beyond this is a dead connection.
const SILENCE = 20000;

/** Whether this browser can open messages that come compressed. */
export const inflates = (() => {
  try {
    return Boolean(new DecompressionStream("deflate-raw"));
  } catch {
    return false;
  }
})();

// A message's text: as it is, or as raw deflate in a binary message.
function textOf(data) {
  if (typeof data === "string") return data;
  return new Response(data.stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/**
 * Keeps a socket to this server open.
 *
 * @param {string} path where, such as "/board/live"
 * @param {object} told
 * @param {(data: object) => void} told.message takes each message, read from JSON; an empty object
 *   is a sign of life and is not passed on
 * @param {(say: (data: object) => void) => void} told.here the server is there (again); `say` sends
 *   it something, as JSON, and does nothing once the connection has gone
 * @param {() => void} told.away the server is not there; tries go on
 * @param {(code: number, reason: string) => boolean} [told.over] whether a close of this code ends
 *   all tries
 * @returns {() => void} closes it for good
 */
export function connect(path, { message, here, away, over = () => false }) {
  let wait = FIRST_WAIT;
  let closed = false;
  let socket = null;
  let silence = 0;
  let again = 0;

  function listen() {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), SILENCE);
  }

  function open() {
    clearTimeout(again);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const own = new WebSocket(`${scheme}//${location.host}${path}`);
    socket = own;
    listen();
    own.onopen = () => {
      wait = FIRST_WAIT;
      listen();
      here((data) => {
        if (own.readyState === WebSocket.OPEN) own.send(JSON.stringify(data));
      });
    };
    // One after another, in the order in which they came, however long one takes to inflate.
    let before = Promise.resolve();
    async function take(data, earlier) {
      const text = await textOf(data);
      await earlier;
      if (socket !== own) return;
      const read = JSON.parse(text);
      if (Object.keys(read).length) message(read);
    }
    own.onmessage = (event) => {
      listen();
      before = take(event.data, before).catch(reportError);
    };
    own.onclose = (event) => {
      if (socket !== own) return;
      clearTimeout(silence);
      if (closed || over(event.code, event.reason)) return;
      away();
      again = setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  }

  // A phone that wakes up, or has found its network again, does not wait for the next try.
  const now = () => {
    if (!closed && document.visibilityState === "visible" && socket.readyState > WebSocket.OPEN) {
      wait = FIRST_WAIT;
      open();
    }
  };
  document.addEventListener("visibilitychange", now);
  window.addEventListener("online", now);
  open();
  return () => {
    closed = true;
    clearTimeout(silence);
    clearTimeout(again);
    document.removeEventListener("visibilitychange", now);
    window.removeEventListener("online", now);
    socket.close();
  };
}
