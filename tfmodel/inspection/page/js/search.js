// Search as you type: the list of nodes, counts by scope, and badges on closed boxes.

const MAX_HITS = 200;
let hitCounts = new Map();
let hitPlace = -1;

/** Search for a query, and show what was found. */
function search(text) {
  state.query = text;
  const field = byId("query"), found = byId("found");
  field.classList.remove("wrong");
  hitPlace = -1;
  if (!text.trim()) {
    shown = null;
    found.textContent = "";
    byId("hits").replaceChildren();
  } else {
    try {
      shown = findNodes(text);
      const closed = new Set(shown.slice(0, 5000).map((node) => tree.up[tree.entryOf[node]])).size;
      found.textContent = shown.length ? `${counted(shown.length, "node")} in ${counted(closed, "scope")}${shown.length >= 5000 ? " or more" : ""}; Enter steps through them` : `no node matches${hint(text)}`;
      byId("hits").replaceChildren(...shown.slice(0, MAX_HITS).map(hitRow));
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      shown = null;
      field.classList.add("wrong");
      found.textContent = visible(error.message);
      byId("hits").replaceChildren();
    }
  }
  countHits();
  refreshOutline();
  changed();
}

/** If a word is an op and part of no name, say how ops are found. */
function hint(text) {
  const op = model.ops.find((name) => name.toLowerCase() === text.trim().toLowerCase());
  return op ? `; to find nodes by op, write op=${op}` : "";
}

function hitRow(node, place) {
  return make("div", { class: "hit", role: "button", tabindex: "0", title: visible(model.names[node]), onclick: () => showHit(place), onkeydown: (event) => { if (event.key === "Enter") showHit(place); } },
    coloured(FAMILIES[familyRank(opOf(node))][1]),
    make("span", { class: "name" }, model.bodyOf[node] ? `${model.names[node]}  (${model.bodies[model.bodyOf[node]].name})` : model.names[node]),
    make("span", { class: "soft" }, opOf(node)));
}

function showHit(place) {
  const list = shown || [...model.status.keys()];
  if (!list.length) return;
  hitPlace = (place + list.length) % list.length;
  byId("hits").querySelectorAll(".hit").forEach((row, i) => row.classList.toggle("chosen", i === hitPlace));
  byId("hits").children[hitPlace]?.scrollIntoView({ block: "nearest" });
  showTab("graph");
  remember();
  selectNode(list[hitPlace]);
}

function countHits() {
  hitCounts = new Map();
  for (const node of shown || []) {
    for (let e = tree.entryOf[node]; e >= 0; e = tree.up[e]) hitCounts.set(e, (hitCounts.get(e) || 0) + 1);
  }
}

const hitsIn = (entry) => hitCounts.get(entry) || 0;

function listenToSearch() {
  const field = byId("query");
  field.addEventListener("input", () => search(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") showHit(hitPlace + (event.shiftKey ? -1 : 1));
    else if (event.key === "ArrowDown") byId("hits").querySelector(".hit")?.focus();
    else if (event.key === "Escape") {
      field.value = "";
      search("");
      byId("canvas").focus();
    } else return;
    event.preventDefault();
  });
}
