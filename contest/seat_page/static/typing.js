// From what a browser says of a keyboard to key presses of the protocol (docs/reference/lpp.md).
// The text area shows the draft and nothing else: what can be stopped is stopped and sent as keys;
// what cannot (phones, input methods) is compared with the draft, and the difference is sent.

const IDEOGRAMS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const TYPES_TEXT = new Set(["insertText", "insertCompositionText", "insertFromComposition"]);
const PASTES = new Set(["insertFromPaste", "insertFromDrop", "insertFromYank", "insertReplacementText"]);

/** Between the appendix's key names and the characters that they type. */
export class KeyNames {
  /** @param {Record<string, string>} names key name to character; BackSpace is "\b" */
  constructor(names) {
    this.chars = new Map(Object.entries(names));
    this.names = new Map(Object.entries(names).map(([name, char]) => [char, name]));
  }

  /** The character that a key types; the server sends no other names than these. */
  char(key) {
    return this.chars.get(key) ?? key;
  }

  /** The key presses of a text, and the first character that no key press carries. */
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
 * @param {object} told what to call: `press(key)`; `unsendable(char)`; `paste(text, how)` for what
 *   was pasted, dropped or put in by a program; `command(name)`: switch, read, leave
 */
export class Line {
  constructor(area, names, told) {
    Object.assign(this, { area, names, told });
    this.draft = "";
    this.holds = false; // a composition is sent only when it has ended
    this.composing = false;
    this.ideograms = navigator.languages?.some((tag) => /^(zh|ja|ko)\b/.test(tag)) ?? false;
    area.addEventListener("keydown", (event) => this.keyDown(event));
    area.addEventListener("beforeinput", (event) => this.beforeInput(event));
    area.addEventListener("input", (event) => this.input(event));
    area.addEventListener("compositionstart", () => this.compose(true));
    area.addEventListener("compositionend", () => this.compose(false));
    // Where the caret is elsewhere, text would be put into the middle of what was sent.
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
    // With the frame: here it would keep the key from being sent.
    requestAnimationFrame(() => (this.area.scrollTop = this.area.scrollHeight));
  }

  caretToEnd() {
    const end = this.area.value.length;
    if (!this.composing && this.area.selectionStart !== end) this.area.setSelectionRange(end, end);
  }

  keyDown(event) {
    const { key, shiftKey, repeat } = event;
    // A desktop's input method or dead key: what it shows meanwhile is not typed yet.
    if (key === "Process" || key === "Dead") this.holds = true;
    if (event.isComposing || key === "Process" || event.keyCode === 229) return;
    const held = event.ctrlKey || event.altKey || event.metaKey;
    const command = { F6: shiftKey ? "read" : "switch", Escape: "leave" }[key];
    const named = { Backspace: "BackSpace", Enter: "Return", Tab: "Tab" }[key];
    if (command && !held) {
      event.preventDefault();
      if (!repeat) this.told.command(command);
    } else if (named && !held) {
      event.preventDefault();
      if (!repeat || named === "BackSpace") this.told.press(named);
    } else if (held && (key === "Backspace" || key === "Enter")) {
      event.preventDefault();
    }
  }

  beforeInput(event) {
    const { inputType: type, data } = event;
    if (PASTES.has(type)) {
      event.preventDefault();
      const text = data ?? event.dataTransfer?.getData("text/plain") ?? "";
      if (text) this.told.paste(text, type === "insertReplacementText" ? "replacement" : "paste");
    } else if (!event.cancelable || this.composing || event.isComposing) {
      // The text area changes by itself: `input` finds out what has changed.
    } else {
      event.preventDefault();
      if (TYPES_TEXT.has(type)) this.type(data ?? "");
      else if (type === "insertLineBreak" || type === "insertParagraph") this.told.press("Return");
      else if (type === "deleteContentBackward") this.told.press("BackSpace");
      // What else there is (undo, deleting of words) would change what was sent.
    }
  }

  input(event) {
    if (event.isComposing) {
      const data = event.data ?? "";
      this.ideograms ||= IDEOGRAMS.test(data);
      if (this.holds || this.ideograms) return;
    }
    this.compare();
  }

  compose(begins) {
    this.composing = begins;
    if (begins) return;
    this.holds = false;
    this.compare();
    this.draw(this.draft);
  }

  /** Sends the difference between what stands in the text area and the draft. */
  compare() {
    const now = [...this.area.value.normalize("NFC")];
    const before = [...this.draft];
    let same = 0;
    while (same < now.length && same < before.length && now[same] === before[same]) same += 1;
    for (let gone = before.length; gone > same; gone -= 1) this.told.press("BackSpace");
    this.type(now.slice(same).join(""));
    if (!this.composing && this.area.value !== this.draft) this.draw(this.draft);
  }

  type(text) {
    const { keys, unsendable } = this.names.keys(text);
    for (const key of keys) this.told.press(key);
    if (unsendable) this.told.unsendable(unsendable);
  }
}
