// What the scripts of several pages do with their elements.

export const byId = (id) => document.getElementById(id);

/** Shows a text in an element; without a text, hides the element. */
export function fill(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = !text;
}

/** Says something to people who don't see the page. */
export function announce(text) {
  byId("said").textContent = text;
}
