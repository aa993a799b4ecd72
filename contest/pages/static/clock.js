// The remaining time, counted down between two messages from the server.

/** Minutes and seconds, such as 24:07, rounded up to whole seconds. */
export function clock(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A countdown in contest time.
 *
 * @param {?number} left milliseconds of contest time left now; null without a limit
 * @param {number} speed contest time per real time; 0 while the clock is stopped
 * @returns {() => ?number} returns the milliseconds left at the time of the call
 */
export function countdown(left = null, speed = 1) {
  const from = performance.now();
  return () => left === null ? null : Math.max(0, left - (performance.now() - from) * speed);
}
