// Saves a rater's form as it is typed: half a second after the last change, and when the page is left.
const form = document.getElementById("scores");
const saved = document.getElementById("saved");
const PAUSE = 500;
let timer = 0;
let changed = false;
let failing = false;
let last = Promise.resolve();

// Requests are sent one after the other, so that no older answer overtakes a newer one.
const save = () => (last = last.then(send));

async function send() {
  clearTimeout(timer);
  timer = 0;
  if (!changed) return;
  changed = false;
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
      keepalive: true,
    });
    if (!answer.ok) throw new Error((await answer.json()).error);
    failing = false;
    if (!changed) saved.textContent = "Saved.";
  } catch (error) {
    changed = failing = true;
    saved.textContent = `Not saved yet: ${error.message}. Trying again …`;
    timer ||= setTimeout(save, 10 * PAUSE);
  }
}

form.addEventListener("input", () => {
  changed = true;
  saved.textContent = "";
  clearTimeout(timer);
  timer = setTimeout(save, PAUSE);
});
form.addEventListener("submit", async (event) => {
  if (!changed) return;
  // The page is left only when everything on it is saved.
  event.preventDefault();
  await save();
  if (!changed) form.requestSubmit(event.submitter);
});
addEventListener("beforeunload", (event) => {
  if (failing) event.preventDefault();
});
addEventListener("pagehide", send);
