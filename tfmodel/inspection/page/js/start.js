// Small tools that all modules use: elements of the page, and texts that are safe to show.
//
// All modules are joined into one function, in the order of MODULES in document.py, so that names of one module can be
// used in the others. Text of a model reaches the page only through `textContent` and `fillText`.

const byId = (id) => document.getElementById(id);

/** Control characters, and characters that change the direction of text. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;

/** Return a text with visible escapes in place of characters that could hide or reorder it. */
function visible(text) {
  return String(text).replace(INVISIBLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Return an element with attributes, event listeners ("onclick") and children: elements, or texts. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined) element.append(document.createTextNode(visible(child)));
  }
  return element;
}

/** Say a sentence to screen readers. */
function say(text) {
  byId("said").textContent = visible(text);
}

const grouped = (number) => number.toLocaleString("en-US");

/** Return a count with its noun: "1 node", "2 nodes". */
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Return a number in about four characters: 1.2k, 25.6M. */
function short(number) {
  const steps = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  for (const [size, unit] of steps) {
    if (Math.abs(number) >= size) return `${Number((number / size).toPrecision(3))}${unit}`;
  }
  return String(Number(Number(number).toPrecision(4)));
}

/** Return a text of at most `limit` characters; the middle of a longer one is left out. */
function shortened(text, limit) {
  if (text.length <= limit) return text;
  const front = Math.ceil((limit - 1) * 0.6);
  return `${text.slice(0, front)}…${text.slice(text.length - (limit - 1 - front))}`;
}
