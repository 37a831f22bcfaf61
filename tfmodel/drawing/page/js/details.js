// The panel on the right: everything about the selected node, or what is inside the selected scope.

const MAX_LINKS = 60;

function showDetails() {
  const panel = byId("right");
  panel.replaceChildren(closeDetails(), ...(state.node >= 0 ? nodeDetails(state.node) : state.selected >= 0 ? entryDetails(state.selected) : overview()));
  panel.scrollTop = 0;
  refreshPeek();
}

/** Return a title and what is below it; nothing if nothing is. */
const section = (title, parts) => (parts.length ? [make("h3", title), ...parts] : []);

/** What is shown when nothing is selected: the inputs and outputs, functions, and colours. */
function overview() {
  const { real } = model.bodies[state.body];
  const colours = new Set(scene.boxes.map((box) => entryColour(box.entry)));
  const { inputs, outputs } = endsOf(state.body);
  const families = Object.values(model.families).filter(([, colour]) => colours.has(colour));
  return [
    make("h2", titleOf(state.body)),
    make("div.soft", `${counted(real, "node")} in ${counted(scene.boxes.length, "box")}`),
    ...section("Inputs", endLinks(inputs)), ...section("Outputs", endLinks(outputs)),
    ...section("Slowest, or largest, first", hottest()),
    ...section("Colours", families.map(([family, colour]) => make("div.row", coloured(colour), make("span", family)))),
    ...section("Other views", bodiesOf("signature", "callable", "inference", "training", "graph").filter((body) => body !== state.body)
      .slice(0, 12).map((body) => linkTo(titleOf(body), counted(model.bodies[body].real, "node"), () => showBody(body)))),
    ...functionList(),
    make("p.soft", "Click a box to see it here; its + or a double click opens it. Press ? for the keys."),
  ];
}

/** The function of the model that a node is in; "" for the graph. */
const functionOf = (node) => model.bodies[model.bodyOf[originOf(node)]].kind === "function" ? model.bodies[model.bodyOf[originOf(node)]].name : "";

/** Return links to inputs or outputs with their types, or with the number of their tensors if they are several. */
function endLinks(ends) {
  return links([...new Set(ends)].map((node) => {
    const count = ends.filter((other) => other === node).length;
    return [node, count > 1 ? counted(count, "tensor") : outputText(node, 0)];
  }));
}

/** Return the functions, largest first, folded if they are many. */
function functionList() {
  const functions = functionsBySize();
  if (!functions.length) return [];
  const rows = listed(functions, (body) => {
    const { name, real } = model.bodies[body];
    return linkTo(name, counted(real, "node"), () => showBody(body));
  }, MAX_LINKS, ": search for function=*");
  const list = make("details", make("summary", counted(functions.length, "function")), ...rows);
  list.open = functions.length <= 5;
  return [list];
}

const hottest = () => links([...model.heat].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([node, value]) => [node, heatText(value)]));

function coloured(colour) {
  const dot = make("span.dot");
  dot.style.background = colour;
  return dot;
}

/** Return the elements of the first rows, and how many more there are. */
function listed(rows, elementOf, most = MAX_LINKS, hint = "") {
  const elements = rows.slice(0, most).map((row) => elementOf(row));
  if (rows.length > most) elements.push(make("div.soft", `and ${grouped(rows.length - most)} more${hint}`));
  return elements;
}

/** Return a link with a note. */
function linkTo(text, note, onclick) {
  const link = button(".link", "", onclick);
  link.append(make("span.name", text), note ? make("span.soft", note) : "");
  return link;
}

/** Return links to nodes, each with a note. */
const links = (rows) => listed(rows, ([node, note]) => linkTo(shownName(node), note, () => visit(node)));

/** The name of a node; of an input or output of a signature, that which the signature gives it. */
function shownName(node) {
  const { inputs = [], outputs = [] } = model.bodies[model.bodyOf[node]];
  return inputs.includes(node) || outputs.includes(node) ? model.labels[tree.entryOf[node]] : nameOf(node);
}

function copyButton(text) {
  const copy = set(button(".soft", "copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    copy.textContent = "copied";
    setTimeout(() => { copy.textContent = "copy"; }, 900);
  }), { title: "copy", "aria-label": `copy ${visible(shortened(text, 60))}` });
  return copy;
}

/** Return a list of names and values; those without a value are left out. */
function factList(rows) {
  return make("dl", ...rows.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", name), make("dd", value)]));
}

function nodeDetails(node) {
  const name = nameOf(node);
  const changes = [node, ...hostedIn(node)].map((one) => [one, model.status.get(one)]).filter(([, status]) => status);
  const weights = [node, ...hostedIn(node)].filter((one) => weightIn(one));
  const inputs = [...edgesTo(node)], isConstant = (edge) => !isControl(edge) && model.host[model.from[edge]];
  const where = functionOf(node) ? ` function=${quotedName(functionOf(node))}` : "";
  const command = `tfmodel find ${quoted(model.title)} ${quoted(`name=${quotedName(name)}${where}`)}`;
  return [
    make("h2", name), copyButton(name),
    factList([["op", opOf(node)], ["device", model.devices[model.device[node]]], ["function", functionOf(node)], ["value", model.heat.has(originOf(node)) ? heatText(model.heat.get(originOf(node))) : ""]]),
    ...changes.flatMap(([one, status]) => [
      make(`h3.${status.kind}`, `${SIGNS[status.kind]} ${one === node ? status.kind : `inside: ${nameOf(one)}`}`),
      ...status.changes.map(changeText),
    ]),
    ...callsOf(node).map((body) => button(".link", `show function ${model.bodies[body].name}`, () => showBody(body))),
    ...weights.flatMap((one) => section(one === node ? "Weight" : `Weight inside: ${nameOf(one)}`, weightDetails(weightIn(one)))),
    ...section("Inputs", links(inputs.filter((edge) => !isControl(edge) && !isConstant(edge)).map((edge) => [model.from[edge], edgeText(edge) || opOf(model.from[edge])]))),
    ...section("Inside", links(inputs.filter(isConstant).map((edge) => [model.from[edge], constantText(model.from[edge]) || edgeText(edge) || opOf(model.from[edge])]))),
    ...section("Control inputs", links(inputs.filter(isControl).map((edge) => [model.from[edge], "control"]))),
    ...section("Outputs", recordOf(node)[0].slice(0, 20).map((_, i) => make("div.text", `:${i}  ${outputText(node, i)}`))),
    ...section("Goes to", links([...edgesFrom(node)].map((edge) => [model.to[edge], opOf(model.to[edge]) + (isControl(edge) ? ", control" : "")]))),
    ...section("Attributes", attributesOf(node).length ? [factList(attributesOf(node).map((attribute) => [attribute[0], attributeText(attribute)]))] : []),
    ...(model.isReal[node] ? section("The same in a terminal", [make("pre", command), copyButton(command)]) : []),
  ];
}

/** Return a change with what was before and what is after on lines of their own. */
function changeText(change) {
  const [, ...parts] = /^([^]*?): ([^]*) -> ([^]*)$/.exec(change) || [];
  if (!parts.length) return make("div.text", change);
  const [what, before, after] = parts;
  return make("div.text", make("div", what), make("div.removed", `−\u00a0${before}`), make("div.added", `+\u00a0${after}`));
}

/** Quote an argument for a shell. */
const quoted = (text) => (/^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function attributeText([, isList, elements]) {
  const texts = elements.map(([, element]) => String(element));
  return isList ? `[${texts.join(", ")}]` : texts.join("");
}

function constantText(node) {
  const value = attributesOf(node).find(([name]) => name === "value");
  return value ? shortened(attributeText(value), 120) : "";
}

const KINDS = ["scope", "group of nodes that outputs do not need", "stack of equal blocks", "part of a long list", "node"];

function entryDetails(entry) {
  const inside = new Set(nodesIn(entry, 20000)), inputs = new Map(), takers = new Map();
  const add = (side, other, edge) => {
    if (!inside.has(other) && !model.host[other]) side.set(other, isControl(edge) ? "control" : edgeText(edge));
  };
  for (const node of inside) {
    for (const edge of edgesTo(node)) add(inputs, model.from[edge], edge);
    for (const edge of edgesFrom(node)) add(takers, model.to[edge], edge);
  }
  return [
    make("h2", fullName(entry)),
    factList([
      ["kind", KINDS[model.kind[entry]]], ["nodes", grouped(tree.size[entry])], ["parameters", tree.parameters[entry] && grouped(tree.parameters[entry])],
      ["sum", tree.heat[entry] && heatText(tree.heat[entry])], ["changes", tree.changes[entry]],
    ]),
    button(".link", isOpen(entry) ? "close" : "open", () => toggle(entry)),
    make("h3", "Ops"), factList(opsIn(entry).slice(0, 15).map(([op, count]) => [model.ops[op], grouped(count)])),
    ...section("Inputs", links([...inputs])),
    ...section("Goes to", links([...takers])),
  ];
}

// --- weights -----------------------------------------------------------------------------------------------------------

const bytesText = (bytes) => (bytes === undefined ? "" : `${short(bytes)}B`);

function weightDetails(weight) {
  const { min, max, mean, std, zeros, nan = 0, inf = 0 } = weight.statistics || {};
  const before = model.difference?.histograms?.[weight.name];
  const parts = [factList([
    ["role", weight.role], ["type", (weight.dtype || "") + shapeText(weight.shape)], ["size", bytesText(weight.bytes)],
    ["range", weight.statistics && `${short(min)} … ${short(max)}`], ["mean", weight.statistics && `${short(mean)} ± ${short(std)}`],
    ["zeros", zeros && grouped(zeros)], ["not finite", (nan || inf) && grouped(nan + inf)],
    ["different values", weight.distinct && grouped(weight.distinct)],
    ["quantization step", weight.steps && [...new Set(weight.steps)].map(short).join(" … ")],
  ])];
  if (weight.histogram) parts.push(histogram(weight.histogram, 290, 70, before));
  if (before) parts.push(make("div.removed", "line: before"));
  if (weight.map) parts.push(heatMap(weight.map, 290, 290), make("div.soft", mapText(weight.map)));
  if (weight.values) parts.push(valuesButton(weight));
  return parts;
}

function mapText({ values, rows, columns, most, signed }) {
  const cells = signed ? "each cell a value" : `${rows} × ${columns} cells, each the root mean square of a block`;
  return `${values.map(grouped).join(" × ")} values: ${cells}; at most ${short(most)}`;
}

const LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const pictureCalled = (label) => set(make("canvas"), { role: "img", "aria-label": label });

/** Return a matrix of weights as a canvas with a pixel for each cell: two colours for two signs, paler near 0. */
function heatMap(weights, width, height) {
  const { rows, columns, cells, signed } = weights;
  const picture = set(pictureCalled(`heat map: ${mapText(weights)}`), { class: "heat", width: columns, height: rows });
  const size = Math.min(width / columns, height / rows, 12);
  picture.style.width = `${Math.max(8, columns * size)}px`;
  picture.style.height = `${Math.max(8, rows * size)}px`;
  const context = picture.getContext("2d");
  [...cells].forEach((cell, i) => {
    const level = LEVELS.indexOf(cell), share = signed ? (level - 32) / 31 : level / 63;
    context.globalAlpha = Math.abs(share);
    context.fillStyle = share < 0 ? palette.before : palette.accent;
    context.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  });
  return picture;
}

/** Return a histogram as a canvas; with that of an earlier model, which is drawn over it as a line. */
function histogram({ levels, from, to }, width, height, before = null) {
  const picture = pictureCalled(`histogram from ${short(from)} to ${short(to)}`);
  const painter = canvasPainter(sized(picture, width, height));
  const step = width / levels.length, sharesOf = (text) => [...text].map((level) => LEVELS.indexOf(level) / 63);
  sharesOf(levels).forEach((share, i) => {
    const high = share && Math.max(1, share * (height - 2));
    painter.rect(i * step, height - high, Math.max(1, step - 0.6), high, 0, { fill: palette.accent });
  });
  if (before) {
    const wide = (before.to - before.from) / before.levels.length;
    const points = sharesOf(before.levels).map((share, i) => [
      ((before.from + (i + 0.5) * wide - from) / (to - from || 1)) * width, height - 1 - share * (height - 3),
    ]);
    painter.path(`M${points.join("L")}`, { fill: "none", stroke: palette.removed, "stroke-width": 1.5 });
  }
  if (from < 0 && to > 0) painter.rect((-from / (to - from)) * width, 0, 1, height, 0, { fill: palette.removed });
  return picture;
}
