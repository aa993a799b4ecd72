// Updates a part of a page by changing only the differences: the focus stays, and so does everything
// that somebody has typed or opened; a screen reader announces only the changes.

/**
 * @param {Element} old the element in the page
 * @param {Element} fresh its new form
 */
export function morph(old, fresh) {
  attributes(old, fresh);
  children(old, fresh);
}

/**
 * Updates the elements of a page from HTML, by their ids.
 *
 * @param {string} html HTML from the server, with values escaped; its elements have ids
 */
export function morphAll(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const fresh of template.content.children) {
    const old = document.getElementById(fresh.id);
    if (old) morph(old, fresh);
  }
}

function attributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (!kept(old, name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!kept(old, name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
}

// Attributes that the reader controls: opened, typed or chosen.
function kept(element, name) {
  return (
    (name === "open" && element.localName === "details") ||
    (["value", "checked"].includes(name) && element.localName === "input") ||
    (name === "selected" && element.localName === "option")
  );
}

function children(old, fresh) {
  // Remove elements first, so that none of the others must be moved, which would lose the focus.
  const stays = new Set([...fresh.children].map(keyOf));
  for (const each of [...old.children]) {
    if (keyOf(each) && !stays.has(keyOf(each)) && !ours(each)) each.remove();
  }
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    while (at && ours(at)) at = at.nextSibling;
    const key = keyOf(wanted);
    const own = key && [...old.children].find((each) => keyOf(each) === key);
    if (own) {
      // Remove the text before it that belonged to removed elements.
      while (at !== own && at?.nodeType === Node.TEXT_NODE) {
        const next = at.nextSibling;
        at.remove();
        at = next;
      }
      if (own !== at) old.insertBefore(own, at);
      else at = at.nextSibling;
      morph(own, wanted);
    } else if (at && alike(at, wanted)) {
      if (wanted.nodeType === Node.ELEMENT_NODE) morph(at, wanted);
      else if (at.data !== wanted.data) at.data = wanted.data;
      at = at.nextSibling;
    } else {
      old.insertBefore(wanted, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    if (!ours(at)) at.remove();
    at = next;
  }
}

function alike(one, other) {
  return (
    one.nodeType === other.nodeType &&
    one.nodeName === other.nodeName &&
    !keyOf(one) &&
    !keyOf(other)
  );
}

// The key by which an element is recognized. An option's key is its value, so that a choice stays
// when there are more options.
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  return node.id || (node.localName === "option" ? `=${node.value}` : "");
}

// Elements that a script of the page has added, and will remove itself.
function ours(node) {
  return node.nodeType === Node.ELEMENT_NODE && "own" in node.dataset;
}
