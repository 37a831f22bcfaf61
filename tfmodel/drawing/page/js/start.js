// Small tools that all modules use: elements of the page, and texts that are safe to show.
//
// All modules are joined into one function, in the order of MODULES in document.py, so that names of one module can be
// used in the others. Text of a model reaches the page only through `textContent`, `append` and `fillText`.

const byId = (id) => document.getElementById(id);

const canvas = byId("canvas"), map = byId("map"), outline = byId("outline"), table = byId("table"), menu = byId("menu");
const queryField = byId("query"), hitList = byId("hits"), help = byId("help"), page = document.documentElement;

/** Control and format characters, some of which change the direction of text; separators; parts of broken characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Return a text with visible escapes in place of characters that could hide or reorder it. */
function visible(text) {
  return String(text).replace(INVISIBLE, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`);
}

/** Return an element: make("span.soft", text). Children are elements or texts; null is left out. */
function make(selector, ...children) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  element.append(...children.filter((child) => child !== null).map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

/** Set attributes and event handlers ("onclick") of an element, and return it. */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element[name] = value;
    else element.setAttribute(name, value);
  }
  return element;
}

const button = (selector, text, onclick) => set(make(`button${selector}`, text), { onclick });

/** Let keys do what a table says while the focus is in an element; others are left to the elements around it. */
function onKeys(element, actions) {
  element.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key](event);
  };
}

/** Say a sentence to screen readers. */
function say(text) {
  byId("said").textContent = visible(text);
}

/** Append a value to the list of a key. */
function addTo(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}

const zeros = (count) => new Int32Array(count);
const flags = (count) => new Uint8Array(count);
const emptyLists = (count) => Array.from({ length: count }, () => []);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const grouped = (number) => number.toLocaleString("en-US");

/** Return a count with its noun: "1 node", "2 nodes". */
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : noun.endsWith("x") ? "es" : "s"}`;

/** Return a number in about four characters: 1.2k, 25.6M. */
function short(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(number) >= size) return `${Number((number / size).toPrecision(3))}${unit}`;
  }
  return String(Number(Number(number).toPrecision(4)));
}

/** Return a text of at most `limit` characters; the middle of a longer one is left out. In "title: a … b" a and b are cut. */
function shortened(text, limit) {
  if (text.length <= limit) return text;
  const middle = text.indexOf(" … "), start = text.slice(0, middle).match(/.*: /)?.[0].length ?? 0, room = limit - start - 3;
  if (middle < 0 || room < 12) return withoutMiddle(text, limit);
  const first = text.slice(start, middle), last = text.slice(middle + 3);
  const end = Math.min(last.length, Math.max(Math.floor(room / 2), room - first.length));
  return `${text.slice(0, start)}${withoutMiddle(first, room - end)} … ${withoutMiddle(last, end)}`;
}

/** Return a text of at most `limit` characters without its middle, which may have been cut before. */
function withoutMiddle(text, limit) {
  if (text.length <= limit) return text;
  const [front, back = front] = text.split("…"), ahead = Math.ceil((limit - 1) * 0.6), behind = limit - 1 - ahead;
  return `${front.slice(0, ahead)}…${back.slice(Math.max(0, back.length - behind))}`;
}
