// Families of ops with their colours (Okabe-Ito, which colour-blind people can tell apart), and the texts of boxes.

/** Families in the order of what says most about a part of a model: name, colour, and the ops. */
const FAMILIES = [
  ["convolution and matrices", "#0072b2", /Conv|MatMul|Einsum|LSTM|GRU|RNN/],
  ["variable", "#cc79a7", /Variable|VarHandle|VarIsInit|ReadVar|Assign|HashTable|Lookup/],
  ["activation", "#d55e00", /Relu|Sigmoid|Tanh|Softmax|Elu|Selu|Gelu|Softplus|Erf/],
  ["normalization", "#009e73", /BatchNorm|LRN|Moments|Rsqrt|L2/],
  ["pooling and resizing", "#56b4e9", /Pool|Resize|SpaceTo|DepthToSpace|BatchToSpace|ExtractImage|CropAndResize/],
  ["control flow", "#e69f00", /^(Switch|Merge|Enter|Exit|NextIteration|LoopCond|While|If|Case)|StatelessWhile|StatelessIf|PartitionedCall|TensorArray|TensorList/],
  ["input and output", "#3f9142", /^(Placeholder|\(argument\)|\(result\)|_Arg|_Retval|Iterator|Parse|Decode|Read|QueueDequeue)/],
  ["files", "#8c6bb1", /Save|Restore|Summary|MergeV2Checkpoints|ShardedFilename/],
  ["array", "#b8a100", /Reshape|Concat|Split|Slice|Pack|Transpose|Gather|Pad|Squeeze|ExpandDims|Tile|Shape|Fill|Range|Cast|Scatter|Where|OneHot|Rank|Size/],
  ["constant", "#999999", /^Const$|^Identity|NoOp|StopGradient|PreventGradient/],
  ["arithmetic", "#6b7a8f", /./],
];

const familyCache = new Map();

function familyRank(op) {
  let rank = familyCache.get(op);
  if (rank === undefined) {
    rank = FAMILIES.findIndex(([, , pattern]) => pattern.test(op));
    if (rank < 0) rank = FAMILIES.length - 1;
    familyCache.set(op, rank);
  }
  return rank;
}

/** Return the colour of an entry: that of the first family among its ops. */
function entryColour(entry) {
  const op = isLeaf(entry) ? opOf(model.node[entry]) : (opsIn(entry)[0] || ["Const"])[0];
  return FAMILIES[familyRank(op)][1];
}

const measure = document.createElement("canvas").getContext("2d");
const widths = new Map();
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

function textWidth(text, size, isBold = false) {
  const key = `${size} ${isBold} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    measure.font = `${isBold ? 600 : 400} ${size}px ${FONT}`;
    width = measure.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

const KIND_MARKS = { [GROUP]: "⊞ ", [STACK]: "≡ ", [PART]: "⋯ ", [SCOPE]: "" };

/** Return the lines of a closed box: its name; its op, or number of nodes; main ops, and parameters. */
const lineCache = new Map();

function boxLines(entry) {
  let lines = lineCache.get(entry);
  if (!lines) {
    const label = visible(shortened(model.labels[entry], 34));
    if (isLeaf(entry)) {
      const node = model.node[entry];
      const text = outputText(node, 0);
      const op = visible(opOf(node));
      lines = label === op && !text ? [label] : [label, shortened(label === op ? text : text ? `${op} · ${text}` : op, 42)];
      const inside = largestInside(node);
      if (inside) lines.push(inside);
    } else {
      const ops = opsIn(entry).slice(0, 2).map(([op, count]) => `${visible(op)} ${count}`).join(", ");
      const parameters = tree.parameters[entry] ? ` · ${short(tree.parameters[entry])} parameters` : "";
      lines = [KIND_MARKS[model.kind[entry]] + label, (tree.size[entry] ? counted(tree.size[entry], "node") : counted(nodesIn(entry).length, "value")) + parameters, shortened(ops, 42)];
    }
    lineCache.set(entry, lines);
  }
  return lines;
}

const MIN_SHOWN = 9;  // elements

/** Return the shape of the largest constant or variable inside the box of a node; "" if all are small. */
function largestInside(node) {
  let most = MIN_SHOWN, text = "";
  for (const inner of model.hosted.get(node) || []) {
    const [types, [shape]] = recordOf(inner);
    const size = shape && shape.length ? shape.reduce((product, length) => product * (length || 0), 1) : 0;
    if (size < most) continue;
    most = size;
    text = `${/float/.test(types[0]) ? "weights" : "constant"} ${shape.join("×")}`;
  }
  return text;
}

function frameTitle(entry) {
  if (tree.up[entry] < 0) return "";
  const body = tree.inside.get(entry), called = body === undefined ? "" : `: function ${visible(shortened(model.bodies[body].name, 30))}`;
  return `${KIND_MARKS[model.kind[entry]] ?? ""}${visible(shortened(model.labels[entry], 40))}${called}`;
}

const SIGNS = { added: "+", removed: "−", changed: "≠" };

/** Return the status of an entry in a difference: that of its node, "changed" if there are changes inside, or "". */
function statusOf(entry) {
  if (!model.difference || !tree.changes[entry]) return "";
  if (isLeaf(entry)) return model.status.get(model.node[entry])?.kind || "changed";
  const kinds = new Set(nodesIn(entry, 5000).map((node) => model.status.get(node)?.kind || ""));
  return kinds.size === 1 ? [...kinds][0] : "changed";
}

let palette = {};

/** Return a colour as numbers if it is one of the system, which a canvas does not know as the page does. */
function resolved(colour) {
  if (colour.startsWith("#")) return colour;
  const { style } = byId("canvas");
  style.color = colour;
  return getComputedStyle(byId("canvas")).color;
}

/** Read the colours of the style, and show the theme: "light", "dark", or that of the system for "". */
function applyTheme(theme) {
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.classList.toggle("dark", isDark);
  const style = getComputedStyle(document.documentElement);
  palette = { isDark };
  for (const name of ["back", "panel", "line", "text", "soft", "accent", "hover", "chosen", "box", "frame", "edge", "before", "after", "hit", "added", "removed", "changed", "rim", "sign", "heat"]) {
    palette[name] = resolved(style.getPropertyValue(`--${name}`).trim());
  }
}
