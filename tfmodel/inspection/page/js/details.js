// The panel on the right: everything about the selected node, or what is inside the selected scope.

const MAX_LINKS = 60;

function showDetails() {
  const panel = byId("right");
  panel.replaceChildren();
  if (state.selected < 0) {
    panel.append(...overview());
    return;
  }
  const { node } = state;
  panel.append(...(node >= 0 ? nodeDetails(node) : entryDetails(state.selected)));
  panel.scrollTop = 0;
}

/** What is shown when nothing is selected: the inputs and outputs, functions, and colours. */
function overview() {
  const parts = [make("h2", {}, state.body ? `function ${model.bodies[state.body].name}` : model.title)];
  const body = model.bodies[state.body];
  parts.push(make("div", { class: "soft" }, `${counted(body.real, "node")} in ${counted(scene.boxes.length, "box").replace("boxs", "boxes")}`));
  if (!state.body) {
    for (const [kind, title] of [["inputs", "Inputs"], ["outputs", "Outputs"]]) {
      const nodes = [...new Set(model.ends[kind])];
      if (nodes.length) parts.push(make("h3", {}, title), ...links(nodes.map((node) => [node, endText(kind, node)])));
    }
  }
  if (model.overlay) parts.push(make("h3", {}, "Slowest, or largest, first"), ...hottest());
  parts.push(make("h3", {}, "Colours"));
  const ranks = new Set(scene.boxes.map((box) => entryColour(box.entry)));
  for (const [name, colour] of FAMILIES) {
    if (ranks.has(colour)) parts.push(make("div", { class: "row" }, coloured(colour), make("span", {}, name)));
  }
  if (model.bodies.length > 1) parts.push(functionList());
  parts.push(make("p", { class: "soft" }, "Click a box to see it here; double click opens it. Press ? for the keys."));
  return parts;
}

/** Return the type of an input or output, with the number of its tensors if they are several. */
function endText(kind, node) {
  const count = model.ends[kind].filter((other) => other === node).length;
  return count > 1 ? counted(count, "tensor") : outputText(node, 0);
}

/** Return the functions, largest first, folded if they are many. */
function functionList() {
  const functions = model.bodies.map((_, body) => body).slice(1).sort((a, b) => model.bodies[b].real - model.bodies[a].real);
  const rows = functions.slice(0, MAX_LINKS).map((body) =>
    make("button", { class: "link", onclick: () => showBody(body) },
      make("span", { class: "name" }, model.bodies[body].name), make("span", { class: "soft" }, counted(model.bodies[body].real, "node"))));
  if (functions.length > MAX_LINKS) rows.push(make("div", { class: "soft" }, `and ${functions.length - MAX_LINKS} more: search for function=*`));
  return make("details", { open: functions.length <= 5 }, make("summary", {}, counted(functions.length, "function")), ...rows);
}

function hottest() {
  const rows = [...model.heat].sort((a, b) => b[1] - a[1]).slice(0, 12);
  return links(rows.map(([node, value]) => [node, `${short(value)}${model.overlay.unit}`]));
}

function coloured(colour) {
  const dot = make("span", { class: "dot" });
  dot.style.background = colour;
  return dot;
}

/** Return links to nodes, each with a note. */
function links(rows) {
  const result = rows.slice(0, MAX_LINKS).map(([node, note]) =>
    make("button", { class: "link", onclick: () => { remember(); selectNode(node); } },
      make("span", { class: "name" }, model.names[node]), note ? make("span", { class: "soft" }, note) : null));
  if (rows.length > MAX_LINKS) result.push(make("div", { class: "soft" }, `and ${grouped(rows.length - MAX_LINKS)} more`));
  return result;
}

function copyButton(text) {
  const button = make("button", { class: "soft", title: "copy", "aria-label": `copy ${visible(shortened(text, 60))}` }, "copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = make("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 900);
  });
  return button;
}

function facts(rows) {
  const list = make("dl");
  for (const [name, value] of rows) {
    if (value !== "" && value !== undefined && value !== null) list.append(make("dt", {}, name), make("dd", {}, value));
  }
  return list;
}

function nodeDetails(node) {
  const name = model.names[node];
  const parts = [make("h2", {}, name), copyButton(name)];
  const weight = model.weightOf.get(node);
  parts.push(facts([
    ["op", opOf(node)], ["device", model.devices[model.device[node]]],
    [model.overlay ? "value" : "", model.heat.has(node) ? `${short(model.heat.get(node))}${model.overlay.unit}` : ""],
  ]));
  const status = model.status.get(node);
  if (status) {
    parts.push(make("h3", { class: status.kind }, `${SIGNS[status.kind]} ${status.kind}`));
    parts.push(...status.changes.map(changeText));
  }
  for (const inner of model.hosted.get(node) || []) {
    const { kind, changes } = model.status.get(inner) || {};
    if (kind) parts.push(make("h3", { class: kind }, `${SIGNS[kind]} inside: ${model.names[inner]}`), ...changes.map(changeText));
  }
  for (const body of model.calls.get(node) || []) {
    parts.push(make("button", { class: "link", onclick: () => showBody(body) }, `show function ${model.bodies[body].name}`));
  }
  if (weight) parts.push(make("h3", {}, "Weight"), ...weightDetails(weight));
  for (const inner of model.hosted.get(node) || []) {
    const own = model.weightOf.get(inner);
    if (own) parts.push(make("h3", {}, `Weight inside: ${model.names[inner]}`), ...weightDetails(own));
  }
  const inputs = [], controls = [], constants = [];
  for (let e = model.first[node]; e < model.first[node + 1]; e++) {
    const from = model.from[e];
    if (model.port[e] < 0) controls.push([from, "control"]);
    else {
      (model.host[from] ? constants : inputs).push([from, edgeText(e) || opOf(from)]);
    }
  }
  if (inputs.length) parts.push(make("h3", {}, "Inputs"), ...links(inputs));
  if (constants.length) parts.push(make("h3", {}, "Constants inside"), ...links(constants.map(([n, note]) => [n, constantText(n) || note])));
  if (controls.length) parts.push(make("h3", {}, "Control inputs"), ...links(controls));
  const record = recordOf(node);
  if (record[0].length) {
    parts.push(make("h3", {}, "Outputs"));
    record[0].slice(0, 20).forEach((_, i) => parts.push(make("div", { class: "text" }, `:${i}  ${outputText(node, i)}`)));
  }
  const uses = [];
  for (let k = model.firstUse[node]; k < model.firstUse[node + 1]; k++) {
    const e = model.uses[k];
    uses.push([model.to[e], `${opOf(model.to[e])}${model.port[e] < 0 ? ", control" : ""}`]);
  }
  if (uses.length) parts.push(make("h3", {}, "Goes to"), ...links(uses));
  const attributes = model.attributes[model.attribute[node]] || [];
  if (attributes.length) parts.push(make("h3", {}, "Attributes"), facts(attributes.map((a) => [a[0], attributeText(a)])));
  const command = `tfmodel find ${quoted(model.title)} ${quoted(`name="${name.replace(/(["\\])/g, "\\$1")}"`)}`;
  if (model.isReal[node]) parts.push(make("h3", {}, "The same in a terminal"), make("pre", {}, command), copyButton(command));
  return parts;
}

/** Return a change with what was before and what is after on lines of their own. */
function changeText(change) {
  const [, what, before, after] = /^([^]*?): ([^]*) -> ([^]*)$/.exec(change) || [];
  if (what === undefined) return make("div", { class: "text" }, change);
  return make("div", { class: "text" }, make("div", {}, what), make("div", { class: "removed" }, `−\u00a0${before}`), make("div", { class: "added" }, `+\u00a0${after}`));
}

/** Quote an argument for a shell. */
const quoted = (text) => (/^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function attributeText([, isList, elements]) {
  const texts = elements.map(elementText);
  return isList ? `[${texts.join(", ")}]` : texts.join("");
}

function constantText(node) {
  const value = (model.attributes[model.attribute[node]] || []).find((attribute) => attribute[0] === "value");
  return value ? shortened(attributeText(value), 120) : "";
}

function entryDetails(entry) {
  const parts = [make("h2", {}, fullName(entry))];
  const kinds = ["scope", "group of nodes that outputs do not need", "stack of equal blocks", "part of a long list", "node"];
  parts.push(facts([
    ["kind", kinds[model.kind[entry]]], ["nodes", grouped(tree.size[entry])],
    ["parameters", tree.parameters[entry] ? grouped(tree.parameters[entry]) : ""],
    [model.overlay ? "sum" : "", tree.heat[entry] ? `${short(tree.heat[entry])}${model.overlay.unit}` : ""],
    ["changes", tree.changes[entry] || ""],
  ]));
  parts.push(make("button", { class: "link", onclick: () => toggle(entry) }, state.open.has(entry) ? "close" : "open"));
  parts.push(make("h3", {}, "Ops"), facts(opsIn(entry).slice(0, 15).map(([op, count]) => [op, grouped(count)])));
  const inside = new Set(nodesIn(entry, 20000)), inputs = new Map(), takers = new Map();
  const add = (side, other, edge) => {
    if (!inside.has(other) && !model.host[other]) side.set(other, model.port[edge] < 0 ? "control" : edgeText(edge));
  };
  for (const node of inside) {
    for (let e = model.first[node]; e < model.first[node + 1]; e++) add(inputs, model.from[e], e);
    for (let k = model.firstUse[node]; k < model.firstUse[node + 1]; k++) add(takers, model.to[model.uses[k]], model.uses[k]);
  }
  if (inputs.size) parts.push(make("h3", {}, "Inputs"), ...links([...inputs]));
  if (takers.size) parts.push(make("h3", {}, "Goes to"), ...links([...takers]));
  return parts;
}

// --- weights -----------------------------------------------------------------------------------------------------------

function weightDetails(weight) {
  const { statistics, values } = weight;
  const rows = [
    ["role", weight.role], ["type", weight.dtype + (weight.shape ? shapeText(weight.shape) : "")],
    ["size", weight.bytes === undefined ? "" : `${short(weight.bytes)}B`],
  ];
  const before = model.difference?.histograms?.[weight.name];
  if (statistics) {
    rows.push(["range", `${short(statistics.min)} … ${short(statistics.max)}`], ["mean", `${short(statistics.mean)} ± ${short(statistics.std)}`]);
    if (statistics.zeros) rows.push(["zeros", grouped(statistics.zeros)]);
    if (statistics.nan || statistics.inf) rows.push(["not finite", grouped(statistics.nan + statistics.inf)]);
  }
  if (values) rows.push(["different values", grouped(values.count)]);
  const parts = [facts(rows)];
  if (weight.histogram) parts.push(histogram(weight.histogram, 290, 70, before));
  if (before) parts.push(make("div", { class: "removed" }, "line: before"));
  if (weight.map) parts.push(heatMap(weight.map, 290, 290), make("div", { class: "soft" }, mapText(weight.map)));
  return parts;
}

function mapText({ values, rows, columns, most, signed }) {
  const cells = signed ? "each cell a value" : `${rows} × ${columns} cells, each the root mean square of a block`;
  return `${values.map(grouped).join(" × ")} values: ${cells}; at most ${short(most)}`;
}

const LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Return a matrix of weights as a canvas with a pixel for each cell: two colours for two signs, paler near 0. */
function heatMap(map, width, height) {
  const { rows, columns, cells, signed } = map;
  const canvas = make("canvas", { class: "heat", role: "img", width: columns, height: rows, "aria-label": `heat map: ${mapText(map)}` });
  const size = Math.min(width / columns, height / rows, 12);
  canvas.style.width = `${Math.max(8, columns * size)}px`;
  canvas.style.height = `${Math.max(8, rows * size)}px`;
  const context = canvas.getContext("2d");
  [...cells].forEach((cell, i) => {
    const level = LEVELS.indexOf(cell), share = signed ? (level - 32) / 31 : level / 63;
    context.globalAlpha = Math.abs(share);
    context.fillStyle = share < 0 ? palette.before : palette.accent;
    context.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  });
  return canvas;
}

/** Return a histogram as a canvas; with that of an earlier model, which is drawn over it as a line. */
function histogram({ counts, from, to }, width, height, before = null) {
  const canvas = make("canvas", { role: "img", "aria-label": `histogram from ${short(from)} to ${short(to)}` });
  const ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const most = Math.max(1, ...counts), step = width / counts.length;
  context.fillStyle = palette.accent;
  counts.forEach((count, i) => {
    const bar = count ? Math.max(1, (count / most) * (height - 2)) : 0;
    context.fillRect(i * step, height - bar, Math.max(1, step - 0.6), bar);
  });
  if (before) {
    const wide = (before.to - before.from) / before.counts.length, highest = Math.max(1, ...before.counts);
    context.strokeStyle = palette.removed;
    context.lineWidth = 1.5;
    context.beginPath();
    before.counts.forEach((count, i) => {
      const x = ((before.from + (i + 0.5) * wide - from) / (to - from || 1)) * width;
      context.lineTo(x, height - 1 - (count / highest) * (height - 3));
    });
    context.stroke();
  }
  if (from < 0 && to > 0) {
    context.fillStyle = palette.removed;
    context.fillRect((-from / (to - from)) * width, 0, 1, height);
  }
  return canvas;
}
