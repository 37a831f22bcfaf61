// The tabs beside the graph: weights, summary and difference.

const TABS = ["graph", "weights", "summary"];
const TAB_NAMES = { graph: "Graph", weights: "Weights", summary: "Summary", difference: "Difference" };

function tabNames() {
  return model.difference ? [...TABS, "difference"] : TABS;
}

function makeTabs() {
  const tabs = byId("tabs");
  tabs.replaceChildren(...tabNames().map((tab) => {
    const count = tab === "weights" ? ` ${grouped(model.weights.length)}` : tab === "difference" ? ` ${grouped(model.status.size)}` : "";
    return make("button", { role: "tab", id: `tab-${tab}`, "aria-selected": "false", "aria-controls": tab === "graph" ? "canvas" : "table", onclick: () => showTab(tab) }, TAB_NAMES[tab] + count);
  }));
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const names = tabNames();
    showTab(names[(names.indexOf(state.tab) + step + names.length) % names.length]);
    byId(`tab-${state.tab}`).focus();
    event.preventDefault();
    event.stopPropagation();
  });
}

function showTab(tab) {
  if (!tabNames().includes(tab)) tab = "graph";
  const isNew = tab !== state.tab || !showTab.isStarted;
  showTab.isStarted = true;
  state.tab = tab;
  for (const name of tabNames()) {
    byId(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
    byId(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
  }
  const table = byId("table");
  table.hidden = tab === "graph";
  document.documentElement.classList.toggle("wide", !table.hidden);
  if (!table.hidden && isNew) table.replaceChildren(...{ weights: weightsTable, summary: summaryText, difference: differenceTable }[tab]());
  changed();
}

const COLUMNS = [
  ["name", "Name", (w) => w.name], ["role", "Role", (w) => w.role || ""], ["dtype", "Type", (w) => w.dtype || ""],
  ["shape", "Shape", (w) => (w.shape ? shapeText(w.shape) : "")], ["bytes", "Size", (w) => w.bytes ?? -1],
  ["min", "Min", (w) => w.statistics?.min ?? NaN], ["max", "Max", (w) => w.statistics?.max ?? NaN],
  ["std", "Std", (w) => w.statistics?.std ?? NaN], ["distinct", "Different", (w) => w.values?.count ?? NaN],
];
const MAX_WEIGHT_ROWS = 1000;
const sorting = { column: "bytes", isUp: false };

function weightsTable() {
  if (!model.weights.length) return [make("p", {}, model.weights_note || "This model has no weights that its outputs use.")];
  const value = COLUMNS.find(([key]) => key === sorting.column)[2];
  const order = (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (typeof x === "number" && (Number.isNaN(x) || Number.isNaN(y))) return Number.isNaN(x) - Number.isNaN(y);
    return (x < y ? -1 : x > y ? 1 : 0) * (sorting.isUp ? 1 : -1);
  };
  const rows = model.weights.slice().sort(order);
  const columns = COLUMNS.filter(([, , of]) => rows.some((weight) => of(weight) === of(weight) && of(weight) !== ""));  // NaN: unknown
  const pictures = [["Histogram", "histogram"], ["Map", "map"]].filter(([, key]) => rows.some((weight) => weight[key]));
  const titles = columns.map(([key, title, of]) => make("th", {
    class: typeof of(model.weights[0]) === "number" ? "number" : "",
    "aria-sort": key === sorting.column ? (sorting.isUp ? "ascending" : "descending") : "none",
  }, make("button", { onclick: () => sortBy(key) }, `${title}${key === sorting.column ? (sorting.isUp ? " ▴" : " ▾") : ""}`)));
  const head = make("tr", {}, titles[0], ...pictures.map(([title]) => make("th", {}, title)), ...titles.slice(1));
  const body = make("tbody", {}, ...rows.slice(0, MAX_WEIGHT_ROWS).map((weight) => weightRow(weight, columns, pictures)));
  const total = model.weights.reduce((sum, weight) => sum + (weight.bytes || 0), 0);
  const note = `${counted(model.weights.length, "weight")}, ${short(total)}B${model.weights_note ? `; ${model.weights_note}` : ""}`;
  return [make("p", { class: "soft" }, note), make("table", {}, make("thead", {}, head), body)];
}

function sortBy(key) {
  sorting.isUp = sorting.column === key ? !sorting.isUp : ["name", "role", "dtype", "shape"].includes(key);
  sorting.column = key;
  byId("table").replaceChildren(...weightsTable());
}

function weightRow(weight, columns, pictures) {
  const drawings = { histogram: (facts) => histogram(facts, 96, 26), map: (facts) => heatMap(facts, 64, 40) };
  const cells = columns.map(([key, , of]) => {
    const value = of(weight);
    const text = key === "bytes" ? (value < 0 ? "" : `${short(value)}B`) : typeof value === "number" ? (Number.isNaN(value) ? "" : short(value)) : value;
    return make("td", { class: typeof value === "number" ? "number" : key === "name" ? "text" : "text whole" }, text);
  });
  const open = () => {
    const node = model.numberOf.get(weight.name);
    if (node === undefined) return;
    showTab("graph");
    remember();
    selectNode(node);
  };
  return make("tr", { tabindex: "0", onclick: open, onkeydown: (event) => { if (event.key === "Enter") open(); } },
    cells[0], ...pictures.map(([, key]) => make("td", {}, weight[key] ? drawings[key](weight[key]) : "")), ...cells.slice(1));
}

function summaryText() {
  return [make("pre", { class: "text" }, ...withLines(model.summary))];
}

/** Return a text as nodes: line feeds stay, all other control characters become visible. */
function withLines(text) {
  return text.split("\n").flatMap((line) => [document.createTextNode(visible(line)), document.createTextNode("\n")]);
}

function differenceTable() {
  const { counts, same, text } = model.difference;
  if (same) return [make("p", {}, "The two models are the same.")];
  const parts = Object.entries(counts).map(([kind, count]) => make("span", { class: kind }, `${SIGNS[kind] || "="} ${grouped(count)} ${kind}   `));
  const rows = [...model.status].slice(0, 2000).map(([node, { kind, changes }]) => {
    const open = () => {
      showTab("graph");
      remember();
      selectNode(node);
    };
    return make("tr", { tabindex: "0", onclick: open, onkeydown: (event) => { if (event.key === "Enter") open(); } },
      make("td", { class: `${kind} whole` }, `${SIGNS[kind]} ${kind}`), make("td", { class: "text" }, model.names[node]), make("td", { class: "whole" }, opOf(node)), make("td", { class: "text" }, ...changes.map(changeText)));
  });
  const head = make("tr", {}, ...["", "Node", "Op", "Changes"].map((title) => make("th", {}, title)));
  const details = make("details", {}, make("summary", {}, "the report of tfmodel diff"), make("pre", {}, ...withLines(text)));
  return [make("p", {}, ...parts), make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)), details];
}
