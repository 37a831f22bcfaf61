// Colours, fonts, and the texts of boxes.

/** Return the colour of an entry: that of the first family among its ops. */
function entryColour(entry) {
  return colourOf(isLeaf(entry) ? rankOf(model.node[entry]) : mainRank(entry) ?? CONSTANTS);
}

const colourOf = (rank) => model.families[rank][1];

/** Return the colour of text on a colour: that which differs more from it. */
function inkOn(colour) {
  if (!inks.has(colour)) {
    const numbers = colour.startsWith("#") ? colour.slice(1).match(/../g).map((pair) => parseInt(pair, 16)) : colour.match(/\d+/g).map(Number);
    const [r, g, b] = numbers.map((value) => (value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    inks.set(colour, 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? "#111111" : "#ffffff");
  }
  return inks.get(colour);
}

const inks = new Map();
const measure = document.createElement("canvas").getContext("2d");
const widths = new Map();
const FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const [TITLE_FONT, LINE_FONT, LABEL_FONT, BADGE_FONT] = ["600 12", "400 12", "400 12", "600 12"].map((font) => `${font}px ${FONTS}`);

function textWidth(text, font) {
  const key = font + text;
  let width = widths.get(key);
  if (width === undefined) {
    measure.font = font;
    width = measure.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

const KIND_MARKS = { [GROUP]: "⊞ ", [STACK]: "≡ ", [PART]: "⋯ " };

/** Return the label of an entry, with a mark of its kind. */
const marked = (entry, limit) => (KIND_MARKS[model.kind[entry]] || "") + visible(shortened(model.labels[entry], limit));

const lineCache = new Map();

/** Return the lines of a closed box: its name; its op, or number of nodes; main ops, and parameters. */
function boxLines(entry) {
  if (!lineCache.has(entry)) lineCache.set(entry, isLeaf(entry) ? leafLines(entry) : scopeLines(entry));
  return lineCache.get(entry);
}

function leafLines(entry) {
  const node = model.node[entry], label = marked(entry, 34), op = visible(opOf(node));
  const facts = [label === op ? "" : op, outputText(node, 0)].filter(Boolean).join(" · ");
  return [label, shortened(facts, 42), largestInside(node)].filter(Boolean);
}

const MAX_OP = 17;  // characters of an op that leave room for the name
const TELLING = new Set([0, 2, 3, 4, 5]);  // families of ops that say what a part of a list does

/** Return the label of a closed scope; of a part of a list, whose ends say little, with the op that says most. */
function scopeLabel(entry) {
  const [op, count] = opsIn(entry)[0] || [], isTold = model.kind[entry] === PART && op !== undefined && TELLING.has(model.family[op]);
  if (!isTold) return marked(entry, 34);
  const title = `${visible(shortened(model.ops[op], 22))}${count > 1 ? ` ×${grouped(count)}` : ""}`;
  const label = title.length > MAX_OP ? "" : `: ${visible(shortened(model.labels[entry], 32 - title.length))}`;
  return `${KIND_MARKS[PART]}${title}${label}`;
}

function scopeLines(entry) {
  const ops = opsIn(entry).slice(0, 2).map(([op, count]) => `${visible(model.ops[op])} ${count}`).join(", ");
  const size = tree.size[entry], nodes = size ? counted(size, "node") : counted(nodesIn(entry).length, "value");
  const parameters = tree.parameters[entry] ? ` · ${short(tree.parameters[entry])} parameters` : "";
  return [scopeLabel(entry), nodes + parameters, shortened(ops, 42)];
}

const MIN_SHOWN = 9;  // elements

/** Return the shape of the largest constant or variable inside the box of a node; "" if all are small. */
function largestInside(node) {
  let most = MIN_SHOWN, text = "";
  for (const inner of hostedIn(node)) {
    const [types, [shape]] = recordOf(inner);
    if (elementsOf(shape) < most) continue;
    most = elementsOf(shape);
    text = `${/float/.test(types[0]) ? "weights" : "constant"} ${shape.join("×")}`;
  }
  return text;
}

function frameTitle(entry) {
  if (tree.up[entry] < 0) return "";
  const body = model.bodies[tree.inside.get(entry)];
  return marked(entry, 40) + (body ? `: function ${visible(shortened(body.name, 30))}` : "");
}

const SIGNS = { added: "+", removed: "−", changed: "≠" };

const statusOfNode = (node) => model.status.get(node)?.kind || "";

/** Return the status of an entry in a difference: that of its node, "changed" if there are changes inside, or "". */
function statusOf(entry) {
  if (!tree.changes[entry]) return "";
  const kinds = new Set(nodesIn(entry, 5000).map(statusOfNode));
  return (kinds.size === 1 && [...kinds][0]) || "changed";
}

let palette = {};

/** Return a colour as numbers if it is one of the system, which a canvas does not know as the page does. */
function resolved(colour) {
  if (colour.startsWith("#")) return colour;
  canvas.style.color = colour;
  return getComputedStyle(canvas).color;
}

/** Read the colours of the style, and show the theme: "light", "dark", or that of the system for "". */
function applyTheme(theme) {
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  page.classList.toggle("dark", isDark);
  palette = { isDark };
  const style = getComputedStyle(page);
  for (const name of document.styleSheets[0].cssRules[0].style) {
    if (name.startsWith("--")) palette[name.slice(2)] = resolved(style.getPropertyValue(name).trim());
  }
}
