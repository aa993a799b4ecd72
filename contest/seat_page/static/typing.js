// Translates a browser's input events to key presses of the protocol (docs/reference/lpp.md).
// The text area shows only the draft. Input that can be cancelled is cancelled and sent as keys. All
// other input (phones, input methods) is compared with the draft, and the difference is sent.

const IDEOGRAMS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const TYPES_TEXT = new Set(["insertText", "insertCompositionText", "insertFromComposition"]);
const PASTES = new Set(["insertFromPaste", "insertFromDrop", "insertFromYank", "insertReplacementText"]);

/** Maps the appendix's key names to the characters that they type, and back. */
export class KeyNames {
  /** @param {Record<string, string>} names key name to character; BackSpace is "\b" */
  constructor(names) {
    this.chars = new Map(Object.entries(names));
    this.names = new Map(Object.entries(names).map(([name, char]) => [char, name]));
  }

  /** The character that a key types; the server sends only these names. */
  char(key) {
    return this.chars.get(key) ?? key;
  }

  /** The key presses of a text, and its first character without a key name. */
  keys(text) {
    const keys = [];
    let unsendable = "";
    for (const char of text.replace(/\r\n?/g, "\n").replace(INVISIBLE, "").normalize("NFC")) {
      const plain = char > "\x7f" ? /[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u : /[A-Za-z0-9]/;
      if (char !== "\b" && this.names.has(char)) keys.push(this.names.get(char));
      else if (plain.test(char)) keys.push(char);
      else unsendable ||= char;
    }
    return { keys, unsendable };
  }
}

/**
 * The line that a person types: turns input into key presses.
 *
 * @param {HTMLTextAreaElement} area
 * @param {KeyNames} names
 * @param {object} callbacks `press(key)`; `unsendable(char)`; `paste(text, how)` for text that was
 *   pasted, dropped or inserted by a program; `command(name)`: switch, read, leave
 */
export class Line {
  constructor(area, names, callbacks) {
    Object.assign(this, { area, names, callbacks });
    this.draft = "";
    this.holds = false; // whether to send a composition only when it has ended
    this.composing = false;
    this.ideograms = navigator.languages?.some((tag) => /^(zh|ja|ko)\b/.test(tag)) ?? false;
    area.addEventListener("keydown", (event) => this.keyDown(event));
    area.addEventListener("beforeinput", (event) => this.beforeInput(event));
    area.addEventListener("input", (event) => this.input(event));
    area.addEventListener("compositionstart", () => (this.composing = true));
    area.addEventListener("compositionend", () => {
      this.composing = this.holds = false;
      this.compare();
    });
    // With the caret elsewhere, text would be inserted into the middle of the sent text.
    for (const type of ["select", "click", "focus", "keyup"]) {
      area.addEventListener(type, () => this.caretToEnd());
    }
  }

  /** Shows a draft. */
  draw(draft) {
    this.draft = draft;
    if (this.composing || this.area.value === draft) return;
    this.area.value = draft;
    this.caretToEnd();
    // In the next frame, because here it would delay sending the key.
    requestAnimationFrame(() => (this.area.scrollTop = this.area.scrollHeight));
  }

  caretToEnd() {
    const end = this.area.value.length;
    if (!this.composing && this.area.selectionStart !== end) this.area.setSelectionRange(end, end);
  }

  keyDown(event) {
    const { key, shiftKey, repeat } = event;
    // An input method or dead key on a desktop: its preliminary text is not typed yet.
    if (key === "Process" || key === "Dead") this.holds = true;
    if (event.isComposing || key === "Process" || event.keyCode === 229) return;
    const held = event.ctrlKey || event.altKey || event.metaKey;
    const command = { F6: shiftKey ? "read" : "switch", Escape: "leave" }[key];
    const named = { Backspace: "BackSpace", Enter: "Return", Tab: "Tab" }[key];
    if (held ? named && key !== "Tab" : named || command) event.preventDefault();
    if (held || (repeat && key !== "Backspace")) return;
    if (command) this.callbacks.command(command);
    if (named) this.callbacks.press(named);
  }

  beforeInput(event) {
    const { inputType: type, data } = event;
    const pasted = PASTES.has(type);
    // If the text area changes by itself, `input` finds the difference.
    if (!pasted && (!event.cancelable || this.composing || event.isComposing)) return;
    event.preventDefault();
    const text = data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (pasted && text) this.callbacks.paste(text, type === "insertReplacementText" ? "replacement" : "paste");
    else if (TYPES_TEXT.has(type)) this.type(text);
    else if (type === "insertLineBreak" || type === "insertParagraph") this.callbacks.press("Return");
    else if (type === "deleteContentBackward") this.callbacks.press("BackSpace");
    // All other input (undo, deleting words) would change the sent text.
  }

  input({ isComposing, data }) {
    if (isComposing) this.ideograms ||= IDEOGRAMS.test(data ?? "");
    if (!isComposing || !(this.holds || this.ideograms)) this.compare();
  }

  /** Sends the difference between the text area and the draft. */
  compare() {
    const now = [...this.area.value.normalize("NFC")];
    const before = [...this.draft];
    let same = 0;
    while (same < now.length && same < before.length && now[same] === before[same]) same += 1;
    for (let gone = before.length; gone > same; gone -= 1) this.callbacks.press("BackSpace");
    this.type(now.slice(same).join(""));
    this.draw(this.draft);
  }

  type(text) {
    const { keys, unsendable } = this.names.keys(text);
    for (const key of keys) this.callbacks.press(key);
    if (unsendable) this.callbacks.unsendable(unsendable);
  }
}
