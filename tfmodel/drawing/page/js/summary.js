// The summary: what the model is, its inputs and outputs, what its layers cost, its ops, findings, and commands.

const SHOWN_LAYERS = 20, SHOWN_OPS = 20;
const LEVELS_OF_FINDINGS = { broken: "removed", unsafe: "changed", note: "soft" };

function summaryPage() {
  const { text, facts: known, inputs, outputs, ops, findings, unchecked, commands } = model.report;
  if (!known) return [make("pre.text", ...withLines(text))];
  const layers = layersOfModel();
  return [
    make("h2", model.title), factList(known),
    ...heading("Inputs", endsTable("inputs", inputs)), ...heading("Outputs", endsTable("outputs", outputs)),
    ...heading("Layers", layers.length ? layersTable(layers) : null),
    ...heading("Ops", ops.length ? opsTable(ops) : null),
    make("h2", "Findings of tfmodel check"), ...findings.map(findingLine),
    findings.length && !unchecked ? "" : make("p.soft", unchecked || "none"),
    ...heading("Commands", commands.length ? make("div", ...commands.map(commandLine)) : null),
    make("details", make("summary", "the report of tfmodel summarize"), make("pre.text", ...withLines(text))),
  ];
}

const heading = (title, content) => (content ? [make("h2", title), content] : []);

function endsTable(name, rows) {
  if (!rows.length) return make("p.soft", "none found");
  const likely = rows.filter((row) => row[4]), shown = likely.length ? likely : rows, others = rows.length - shown.length;
  const cells = ([end, dtype, shape, reason, , node]) => openRow(() => { if (node !== null) visit(node); },
    make("td.text", end), make("td.whole", dtype + shapeText(shape)), make("td.text", reason));
  return make("div", wholeTable(["Tensor", "Type", "Why"].map((title) => make("th", title)), shown.map(cells)),
    likely.length ? null : make("p.soft", `not certain: these are the candidates for ${name}`),
    others ? make("p.soft", `and ${counted(others, "less likely candidate")}, in the report below`) : null);
}

/** Return the nodes that have parameters or FLOPs, as the picture has them that the page opens with. */
function layersOfModel() {
  const costs = new Map(model.report.flops), rows = new Map();
  const add = (node, parameters, flops) => { if (parameters || flops) rows.set(originOf(node), { node, parameters, flops }); };
  const { start, count } = model.bodies[model.main];
  for (let i = start; i < start + count; i++) {
    if (model.host[i]) continue;
    const inside = [i, ...hostedIn(i)].map(weightIn).filter(Boolean);
    add(i, sum(inside.map((weight) => elementsOf(weight.shape))), costs.get(originOf(i)) || 0);
  }
  for (const [node, flops] of costs) if (!rows.has(node)) add(node, 0, flops);
  return [...rows.values()];
}

function layersTable(rows) {
  const most = (value) => Math.max(1, ...rows.map(value)), parameters = most((row) => row.parameters), flops = most((row) => row.flops);
  const all = sum(rows.map((row) => row.flops)) || 1;
  const columns = [
    ["Layer", ({ node }) => nameOf(node), String], ["Op", ({ node }) => opOf(node), String, "text.whole"],
    ["Output", ({ node }) => outputText(node, 0), String, "text.whole"],
    ["Parameters", (row) => row.parameters, (value) => bar(value, parameters, short(value)), "bars"],
    ["FLOPs", (row) => row.flops, (value) => bar(value, flops, `${short(value)}  ${Math.round((value / all) * 100)} %`), "bars"],
  ];
  const used = columns.filter(([title], i) => i < 3 || rows.some((row) => row[title === "FLOPs" ? "flops" : "parameters"]));
  return sortableTable("layers", { columns: used, rows, open: ({ node }) => visit(node), first: used.at(-1)[0], limit: SHOWN_LAYERS });
}

/** Return a number as a bar with a text in it. */
function bar(value, most, text) {
  const length = make("span.length");
  length.style.width = `${Math.round((value / most) * 100)}%`;
  return make("div.bar", length, make("span", value ? text : ""));
}

function opsTable(rows) {
  const count = (value) => (value ? grouped(value) : "");
  const columns = [
    ["Op", ([op]) => op, String, "text.whole"], ["Needed", (row) => row[1], grouped], ["Nodes", (row) => row[2], grouped],
    ["Parameters", (row) => row[3], count], ["FLOPs", (row) => row[4] ?? 0, count], ["Shapes unknown", (row) => row[5], count],
  ];
  const used = columns.filter(([, value], i) => i < 3 || rows.some((row) => value(row) > 0));
  const open = ([op]) => {
    setQuery(`op=${quotedName(op)}`);
    showHit(0);
  };
  const first = ["FLOPs", "Parameters", "Needed"].find((title) => used.some(([other]) => other === title));
  return sortableTable("ops", { columns: used, rows, open, first, limit: SHOWN_OPS });
}

function findingLine([level, kind, sentence, node]) {
  const place = node === null ? null : button(".link.inline", "show", () => visit(node));
  return make("p.finding", make(`strong.${LEVELS_OF_FINDINGS[level] || "soft"}`, `${level}: ${kind}`), make("span.text", sentence), place);
}

const commandLine = (command) => make("div.command", make("pre", command), copyButton(command));
