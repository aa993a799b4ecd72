// A page that shows what the server says: a socket that comes back by itself, and says whether it
// is there. Whatever comes is the newest state; nothing that was missed has to be made up for.

// Milliseconds: between two tries, at first and at most; and of silence that is a dead connection,
// for the server says something at least every few seconds.
const TIMES = { first: 500, longest: 8000, silence: 20000 };

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
 * @param {() => void} told.here the server is there (again)
 * @param {(code: number) => void} told.away the server is not there; tries go on
 * @param {(code: number, reason: string) => boolean} [told.over] whether a close of this code ends
 *   all tries
 * @param {object} [times] other milliseconds than `TIMES`
 * @returns {object} `send(data)` sends the server something, as JSON, and does nothing while it is
 *   away; `cut()` ends this connection, and the next one begins; `close()` closes it for good
 */
export function connect(path, { message, here, away, over = () => false }, times = {}) {
  const { first, longest, silence: longestSilence } = { ...TIMES, ...times };
  let wait = first;
  let closed = false;
  let socket = null;
  let silence = 0;
  let again = 0;

  function listen() {
    clearTimeout(silence);
    silence = setTimeout(cut, longestSilence);
  }

  // A dead connection takes long to close; nobody waits for that.
  function cut() {
    const old = socket;
    if (!old) return;
    old.onclose({ code: 1006, reason: "" });
    if (old === socket) socket = null;
    old.close();
  }

  function open() {
    clearTimeout(again);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const own = new WebSocket(`${scheme}//${location.host}${path}`);
    socket = own;
    listen();
    own.onopen = () => {
      listen();
      here();
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
      if (socket !== own) return;
      wait = first;
      listen();
      before = take(event.data, before).catch(reportError);
    };
    own.onclose = (event) => {
      if (socket !== own) return;
      clearTimeout(silence);
      if (closed || over(event.code, event.reason)) return;
      away(event.code);
      again = setTimeout(open, wait);
      wait = Math.min(2 * wait, longest);
    };
  }

  // A phone that wakes up, or has found its network again, does not wait for the next try.
  const now = () => {
    const isGone = !socket || socket.readyState > WebSocket.OPEN;
    if (!closed && document.visibilityState === "visible" && isGone) {
      wait = first;
      open();
    }
  };
  document.addEventListener("visibilitychange", now);
  window.addEventListener("online", now);
  window.addEventListener("offline", cut);
  open();
  return {
    send(data) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(data));
    },
    cut,
    close() {
      closed = true;
      clearTimeout(silence);
      clearTimeout(again);
      document.removeEventListener("visibilitychange", now);
      window.removeEventListener("online", now);
      window.removeEventListener("offline", cut);
      socket?.close();
    },
  };
}
