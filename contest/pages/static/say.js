// The texts of the page's language, from texts/*.toml, which the server put into the page as JSON.
const texts = JSON.parse(document.getElementById("texts").textContent);
const plurals = new Intl.PluralRules(document.documentElement.lang);

/** Whether there is a text with this key. */
export const isText = (key) => key in texts;

/** A text with its fields filled in; the number `n` chooses the form. */
export function say(key, fields = {}) {
  const forms = texts[key];
  const form = "n" in fields ? plurals.select(fields.n) : "other";
  const isolated = (value) => (/^[\x20-\x7e]*$/.test(value) ? value : `\u2068${value}\u2069`);
  return (forms[form] ?? forms.other).replace(/\{(\w+)\}/g, (_, name) =>
    isolated(String(fields[name])),
  );
}
