// Functions for elements, shared by the scripts of several pages.

export const byId = (id) => document.getElementById(id);

/** Shows a text in an element; without a text, hides the element. */
export function fill(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = !text;
}

/** Announces a text to screen readers. */
export function announce(text) {
  byId("said").textContent = text;
}
