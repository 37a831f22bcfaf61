// The tabs beside the graph: weights, summary and difference.

/** The tabs by name: title, number, and a function that returns the content. */
const TABS = new Map([
  ["graph", ["Graph", () => "", () => []]],
  ["weights", ["Weights", () => ` ${grouped(model.weights.length)}`, weightsTable]],
  ["summary", ["Summary", () => "", () => [make("pre.text", ...withLines(model.summary))]]],
  ["difference", ["Difference", () => ` ${grouped(model.status.size)}`, differenceTable]],
]);

const tabNames = () => [...TABS.keys()].slice(0, model.difference ? 4 : 3);

function makeTabs() {
  const tabs = byId("tabs");
  tabs.append(...tabNames().map((tab) => {
    const [title, number] = TABS.get(tab);
    return set(button("", title + number(), () => showTab(tab)), { role: "tab", id: `tab-${tab}`, "aria-controls": tab === "graph" ? "canvas" : "table" });
  }));
  const go = (step) => () => {
    const names = tabNames();
    showTab(names.at((names.indexOf(state.tab) + step) % names.length));
    byId(`tab-${state.tab}`).focus();
  };
  onKeys(tabs, { ArrowRight: go(1), ArrowLeft: go(-1) });
}

function showTab(tab) {
  state.tab = tabNames().includes(tab) ? tab : "graph";
  for (const name of tabNames()) {
    const isSelected = name === state.tab;
    set(byId(`tab-${name}`), { "aria-selected": isSelected, tabindex: isSelected ? 0 : -1 });
  }
  table.hidden = state.tab === "graph";
  page.classList.toggle("wide", !table.hidden);
  if (table.dataset.tab !== state.tab) fillTable();
  changed();
}

function fillTable() {
  table.dataset.tab = state.tab;
  table.replaceChildren(...TABS.get(state.tab)[2]());
}

/** Return a row of a table, which a click or Enter opens. */
function openRow(open, ...cells) {
  const row = set(make("tr", ...cells), { tabindex: 0, onclick: open });
  onKeys(row, { Enter: open });
  return row;
}

const wholeTable = (titles, rows) => make("table", make("thead", make("tr", ...titles)), make("tbody", ...rows));

/** The columns of weights: title, value, and its text. */
const COLUMNS = [
  ["Name", (w) => w.name, String], ["Role", (w) => w.role ?? "", String], ["Type", (w) => w.dtype ?? "", String], ["Shape", (w) => shapeText(w.shape), String],
  ["Size", (w) => w.bytes ?? NaN, bytesText], ["Min", (w) => w.statistics?.min ?? NaN, short], ["Max", (w) => w.statistics?.max ?? NaN, short],
  ["Std", (w) => w.statistics?.std ?? NaN, short], ["Different", (w) => w.distinct ?? NaN, short],
];
const PICTURES = [
  ["Histogram", (w) => w.histogram && histogram(w.histogram, 128, 26)], ["Map", (w) => w.map && heatMap(w.map, 64, 40)],
];
const MAX_WEIGHT_ROWS = 1000;
const sorting = { column: "Size", isUp: false };

const isNumber = (value) => typeof value === "number";

function weightsTable() {
  const { weights, weights_note: remark } = model;
  if (!weights.length) return [make("p", remark || "This model has no weights that its outputs use.")];
  const valueOf = COLUMNS.find(([title]) => title === sorting.column)[1];
  const rows = weights.slice().sort((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return Number.isNaN(x) - Number.isNaN(y) || (x < y ? -1 : x > y ? 1 : 0) * (sorting.isUp ? 1 : -1);
  });
  const columns = COLUMNS.filter(([, of]) => rows.some((weight) => of(weight) || of(weight) === 0));  // NaN: unknown
  const pictures = PICTURES.filter(([, of]) => rows.some((weight) => of(weight)));
  const titles = columns.map(([title, of]) => {
    const isSorted = title === sorting.column;
    const sort = button("", title + (isSorted ? (sorting.isUp ? " ▴" : " ▾") : ""), () => sortBy(title, isNumber(of(weights[0]))));
    return set(make(isNumber(of(weights[0])) ? "th.number" : "th", sort), { "aria-sort": isSorted ? (sorting.isUp ? "ascending" : "descending") : "none" });
  });
  titles.splice(1, 0, ...pictures.map(([title]) => make("th", title)));
  const total = bytesText(sum(weights.map((weight) => weight.bytes || 0)));
  const note = `${counted(weights.length, "weight")}, ${total}${remark ? `; ${remark}` : ""}`;
  return [make("p.soft", note), wholeTable(titles, rows.slice(0, MAX_WEIGHT_ROWS).map((weight) => weightRow(weight, columns, pictures)))];
}

function sortBy(title, isNumeric) {
  sorting.isUp = sorting.column === title ? !sorting.isUp : !isNumeric;
  sorting.column = title;
  fillTable();
}

function weightRow(weight, columns, pictures) {
  const cells = columns.map(([title, of, textOf]) => {
    const value = of(weight), kind = isNumber(value) ? "number" : title === "Name" ? "text" : "text.whole";
    return make(`td.${kind}`, Number.isNaN(value) ? "" : textOf(value));
  });
  cells.splice(1, 0, ...pictures.map(([, of]) => make("td", of(weight) || "")));
  return openRow(() => { if (weight.node !== undefined) visit(weight.node); }, ...cells);
}

/** Return a text as nodes: line feeds stay, all other control characters become visible. */
function withLines(text) {
  return text.split("\n").flatMap((line) => [document.createTextNode(visible(line)), document.createTextNode("\n")]);
}

function differenceTable() {
  const { counts, same, text } = model.difference;
  if (same) return [make("p", "The two models are the same.")];
  const parts = Object.entries(counts).map(([kind, count]) => make(`span.${kind}`, `${SIGNS[kind] || "="} ${grouped(count)} ${kind}   `));
  const rows = [...model.status].slice(0, 2000).map(([node, { kind, changes }]) => openRow(() => visit(node),
    make(`td.whole.${kind}`, `${SIGNS[kind]} ${kind}`), make("td.text", nameOf(node)), make("td.whole", opOf(node)), make("td.text", ...changes.map(changeText))));
  const titles = ["", "Node", "Op", "Changes"].map((title) => make("th", title));
  return [make("p", ...parts), wholeTable(titles, rows), make("details", make("summary", "the report of tfmodel diff"), make("pre", ...withLines(text)))];
}
