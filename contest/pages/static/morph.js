// Makes one part of a page like another, changing only what differs: what has the focus keeps it,
// what somebody has typed or opened stays, and a screen reader hears of what is new alone.

/**
 * @param {Element} old what is in the page
 * @param {Element} fresh what it is to be like
 */
export function morph(old, fresh) {
  attributes(old, fresh);
  children(old, fresh);
}

/**
 * Makes the elements of a page like those of the same ids in some HTML from the server.
 *
 * @param {string} html escaped by the server; its elements have ids
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

// What belongs to the reader: what is opened, typed or chosen.
function kept(element, name) {
  return (
    (name === "open" && element.localName === "details") ||
    (["value", "checked"].includes(name) && element.localName === "input") ||
    (name === "selected" && element.localName === "option")
  );
}

function children(old, fresh) {
  // What goes, goes first: nothing that stays has to be moved then, which would cost it the focus.
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
      // The text between it and what has gone.
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

// By what an element is the same as before. An option is so by its value: what somebody has chosen
// must not become something else because there is more to choose from.
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  return node.id || (node.localName === "option" ? `=${node.value}` : "");
}

// What a script of the page has put in itself, which it takes away again.
function ours(node) {
  return node.nodeType === Node.ELEMENT_NODE && "own" in node.dataset;
}
