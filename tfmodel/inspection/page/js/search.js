// Search as you type: the list of nodes, counts by scope, and badges on closed boxes.

const MAX_HITS = 200, FIRST_HITS = 30;  // the rows of the first ones come with the key, the others a moment later
let hitCounts = null;  // by entry
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
      byId("hits").replaceChildren(...shown.slice(0, FIRST_HITS).map(hitRow));
      const nodes = shown;
      setTimeout(() => { if (nodes === shown) addHits(); }, 50);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      shown = null;
      field.classList.add("wrong");
      found.textContent = visible(error.message);
      byId("hits").replaceChildren();
    }
  }
  countHits();
  refreshBadges();
  changed();
}

/** Add the rows of further hits. */
function addHits() {
  const list = byId("hits"), count = list.children.length;
  if (count < MAX_HITS) list.append(...shown.slice(count, MAX_HITS).map(hitRow));
}

/** If a word is an op and part of no name, say how ops are found. */
function hint(text) {
  const op = model.ops.find((name) => name.toLowerCase() === text.trim().toLowerCase());
  return op ? `; to find nodes by op, write op=${op}` : "";
}

function hitRow(node) {
  return make("div", { class: "hit", role: "button", tabindex: "0", title: visible(model.names[node]) },
    coloured(FAMILIES[familyRank(opOf(node))][1]),
    make("span", { class: "name" }, model.bodyOf[node] ? `${model.names[node]}  (${model.bodies[model.bodyOf[node]].name})` : model.names[node]),
    make("span", { class: "soft" }, opOf(node)));
}

function showHit(place) {
  const list = shown || [...model.status.keys()];
  if (!list.length) return;
  hitPlace = (place + list.length) % list.length;
  if (shown) addHits();
  byId("hits").querySelectorAll(".hit").forEach((row, i) => row.classList.toggle("chosen", i === hitPlace));
  byId("hits").children[hitPlace]?.scrollIntoView({ block: "nearest" });
  showTab("graph");
  remember();
  selectNode(list[hitPlace]);
}

/** Count the hits in each entry; those in a function also in the call in which it is open, and around it. */
function countHits() {
  hitCounts = new Int32Array(shown ? tree.count : 0);
  if (!shown) return;
  const { parent } = model;
  for (const node of shown) if (tree.entryOf[node] >= 0) hitCounts[tree.entryOf[node]]++;
  for (let e = tree.count - 1; e > 0; e--) if (parent[e]) hitCounts[e - parent[e]] += hitCounts[e];
  const calls = [...tree.inside].map(([call, body]) => [call, hitCounts[rootOf(body)]]);
  for (const [call, count] of calls) for (const around of pathTo(call)) hitCounts[around] += count;
}

const hitsIn = (entry) => (hitCounts && hitCounts[entry]) || 0;

function listenToSearch() {
  const field = byId("query"), list = byId("hits");
  const open = (event) => showHit([...list.children].indexOf(event.target.closest(".hit")));
  list.addEventListener("click", (event) => { if (event.target !== list) open(event); });
  list.addEventListener("keydown", (event) => { if (event.key === "Enter") open(event); });
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
