// The tabs beside the graph: weights, summary and difference.

/** The tabs by name: title, number, and a function that returns the content. */
const TABS = new Map([
  ["graph", ["Graph", () => "", () => []]],
  ["weights", ["Weights", () => ` ${grouped(model.weights.length)}`, weightsTable]],
  ["summary", ["Summary", () => "", summaryPage]],
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

const isNumber = (value) => typeof value === "number";
const sortings = new Map();  // by the name of a table: its column, and the direction

/** Return a table that sorts by the column whose title is clicked. A column has a title, the value of a row, what its
 * cell shows, and a class; columns without a value do not sort. A button below the first `limit` rows shows all.
 */
function sortableTable(name, { columns, rows, open, first, limit = 1000 }) {
  const holder = make("div");
  let most = limit;
  fill();
  return holder;

  function fill() {
    if (!sortings.has(name)) sortings.set(name, { column: first, isUp: false });
    const sorting = sortings.get(name);
    const valueOf = (columns.find(([title]) => title === sorting.column) || columns[0])[1];
    const sorted = rows.slice().sort((a, b) => {
      const [x, y] = [valueOf(a), valueOf(b)];
      return Number.isNaN(x) - Number.isNaN(y) || (x < y ? -1 : x > y ? 1 : 0) * (sorting.isUp ? 1 : -1);
    });
    const titles = columns.map(([title, value, , kind]) => {
      if (!value) return make("th", title);
      const isSorted = title === sorting.column, isNumeric = rows.length > 0 && isNumber(value(rows[0]));
      const sort = button("", title + (isSorted ? (sorting.isUp ? " ▴" : " ▾") : ""), () => sortBy(title, isNumeric));
      return set(make(isNumeric && kind !== "bars" ? "th.number" : "th", sort), { "aria-sort": isSorted ? (sorting.isUp ? "ascending" : "descending") : "none" });
    });
    const body = sorted.slice(0, most).map((row) => openRow(() => open(row), ...columns.map((column) => cell(column, row))));
    const all = () => {
      most = Infinity;
      fill();
    };
    holder.replaceChildren(wholeTable(titles, body), ...(sorted.length > most ? [button("", `show all ${grouped(sorted.length)}`, all)] : []));
  }

  function sortBy(title, isNumeric) {
    const { column, isUp } = sortings.get(name);
    sortings.set(name, { column: title, isUp: column === title ? !isUp : !isNumeric });
    fill();
    [...holder.querySelectorAll("th button")].find((one) => one.textContent.startsWith(title)).focus();
  }

  function cell([, value, shown, kind], row) {
    const content = value ? value(row) : row;
    return make(`td.${kind ?? (isNumber(content) ? "number" : "text")}`, Number.isNaN(content) ? "" : shown(content));
  }
}

/** The columns of weights. */
const WEIGHT_COLUMNS = [
  ["Name", (w) => w.name, String], ["Histogram", null, (w) => (w.histogram ? histogram(w.histogram, 128, 26) : ""), "picture"],
  ["Map", null, (w) => (w.map ? heatMap(w.map, 64, 40) : ""), "picture"],
  ["Role", (w) => w.role ?? "", String, "text.whole"], ["Type", (w) => w.dtype ?? "", String, "text.whole"],
  ["Shape", (w) => shapeText(w.shape), String, "text.whole"],
  ["Size", (w) => w.bytes ?? NaN, bytesText], ["Min", (w) => w.statistics?.min ?? NaN, short], ["Max", (w) => w.statistics?.max ?? NaN, short],
  ["Std", (w) => w.statistics?.std ?? NaN, short], ["Different", (w) => w.distinct ?? NaN, short],
  ["Values", null, (w) => (w.values ? valuesButton(w) : ""), "picture"],
];

function weightsTable() {
  const { weights, weights_note: remark } = model;
  if (!weights.length) return [make("p", remark || "This model has no weights that its outputs use.")];
  const isUsed = ([, value, shown]) => weights.some((weight) => (value ? value(weight) || value(weight) === 0 : shown(weight)));  // NaN: unknown
  const columns = WEIGHT_COLUMNS.filter(isUsed), total = bytesText(sum(weights.map((weight) => weight.bytes || 0)));
  const note = `${counted(weights.length, "weight")}, ${total}${remark ? `; ${remark}` : ""}`;
  const open = ({ node }) => { if (node !== undefined) visit(node); };
  return [make("p.soft", note), sortableTable("weights", { columns, rows: weights, open, first: "Size" })];
}

/** Return a text as nodes: line feeds stay, all other control characters become visible. */
function withLines(text) {
  return text.split("\n").flatMap((line) => [document.createTextNode(visible(line)), document.createTextNode("\n")]);
}

const MAX_CHANGES = 6;  // of a node, in the table; its details have all

function differenceTable() {
  const { counts, same, text } = model.difference;
  if (same) return [make("p", "The two models are the same.")];
  const parts = Object.entries(counts).map(([kind, count]) => make(`span.${kind}`, `${SIGNS[kind] || "="} ${grouped(count)} ${kind}   `));
  const rows = [...model.status].slice(0, 2000).map(([node, { kind, changes }]) => openRow(() => visit(node),
    make(`td.whole.${kind}`, `${SIGNS[kind]} ${kind}`), make("td.text", nameOf(node)), make("td.whole", opOf(node)), make("td.text", ...listed(changes, changeText, MAX_CHANGES))));
  const titles = ["", "Node", "Op", "Changes"].map((title) => make("th", title));
  return [make("p", ...parts), wholeTable(titles, rows), make("details", make("summary", "the report of tfmodel diff"), make("pre", ...withLines(text)))];
}
