// A page with updates from the server: a socket that reconnects by itself, and reports whether it is
// connected. Each message has the newest state, so that missed messages don't matter.

// Milliseconds: the first and longest time between two tries; and the silence after which a
// connection is dead, because the server sends something at least every few seconds.
const TIMES = { first: 500, longest: 8000, silence: 20000 };

/** Whether this browser can decompress messages. */
export const inflates = (() => {
  try {
    return Boolean(new DecompressionStream("deflate-raw"));
  } catch {
    return false;
  }
})();

// A message's text; a binary message is raw deflate.
function textOf(data) {
  if (typeof data === "string") return data;
  return new Response(data.stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/**
 * Keeps a socket to this server open.
 *
 * @param {string} path the address, such as "/board/live"
 * @param {object} callbacks functions to call
 * @param {(data: object) => void} callbacks.message takes each message, decoded from JSON; an empty
 *   object is a heartbeat and is not passed on
 * @param {() => void} callbacks.here the server is connected (again)
 * @param {(code: number) => void} callbacks.away the server is not connected; tries continue
 * @param {(code: number, reason: string) => boolean} [callbacks.over] whether this close code ends
 *   all tries
 * @param {object} [times] milliseconds to use instead of `TIMES`
 * @returns {object} `send(data)` sends the server JSON, and does nothing while disconnected; `cut()`
 *   ends this connection and begins the next one; `close()` closes it for good
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

  // Don't wait for a dead connection to close, which takes a long time.
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
    // Keep the messages in order, however long one takes to decompress.
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

  // Try at once when a phone wakes up or finds its network again.
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
