// Search as you type: the list of nodes, counts by scope, and badges on closed boxes.

const MAX_HITS = 200, FIRST_HITS = 30;  // the rows of the first ones come with the key, the others a moment later
const MAX_WHOLE = 24;  // characters of names that are shown whole
let found = null;  // the nodes that are marked; null without a search
let hitCounts = [];  // by entry
let hitPlace = -1;

/** Search for a query, and show what was found. */
function search(text) {
  state.query = text;
  found = null;
  let note = "", isWrong = false;
  try {
    if (text.trim()) {
      found = bestFirst(findNodes(text), text.trim());
      note = foundText(text);
    }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    isWrong = true;
    note = error.message;
  }
  queryField.classList.toggle("wrong", isWrong);
  byId("found").textContent = visible(note);
  hitPlace = -1;
  hitList.replaceChildren(...(found || []).slice(0, FIRST_HITS).map(hitRow));
  const nodes = found;
  setTimeout(() => { if (nodes && nodes === found) addHits(); }, 50);
  countHits();
  refreshBadges();
  changed();
}

/** Return nodes in the order in which a reader wants them: those whose name, or its last part, is the text itself; those
 * that compute the outputs, first those whose op says most; and all others.
 */
function bestFirst(nodes, text) {
  if (nodes.length > 20000 || /[=()<>]/.test(text)) return nodes;
  const ranks = [[], [], [], []];
  for (const node of nodes) {
    const name = nameOf(node), isExact = name.endsWith(text) && (name.length === text.length || name[name.length - text.length - 1] === "/");
    ranks[isExact ? 0 : !model.needed[node] ? 3 : TELLING.has(rankOf(node)) ? 1 : 2].push(node);
  }
  return ranks.flat();
}

/** Return how many nodes were found; if none and the word is an op, say how ops are found. */
function foundText(text) {
  const scopes = new Set(found.slice(0, 5000).map((node) => tree.up[tree.entryOf[node]])).size;
  if (found.length) return `${counted(found.length, "node")} in ${counted(scopes, "scope")}${found.length >= 5000 ? " or more" : ""}; Enter steps through them`;
  const op = model.ops.find((name) => name.toLowerCase() === text.trim().toLowerCase());
  return `no node matches${op ? `; to find nodes by op, write op=${op}` : ""}`;
}

/** Add the rows of further hits. */
function addHits() {
  const count = hitList.children.length;
  if (count < MAX_HITS) hitList.append(...found.slice(count, MAX_HITS).map(hitRow));
}

function hitRow(node) {
  const body = model.bodyOf[node], name = nameOf(node), parts = name.split("/"), isLong = parts.length > 2 && name.length > MAX_WHOLE;
  const shown = isLong ? `…${parts.slice(-2).join("/")}` : name;  // names that were found together often begin equally
  const label = body ? `${shown}  (${model.bodies[body].name || titleOf(body)})` : shown;
  return set(make("div.hit", coloured(colourOf(rankOf(node))), make("span.name", label), make("span.soft", opOf(node))),
    { role: "button", tabindex: 0, title: visible(name) });
}

function showHit(place) {
  const list = found || [...model.status.keys()];
  if (!list.length) return;
  hitPlace = (place + list.length) % list.length;
  if (found) addHits();
  [...hitList.children].forEach((row, i) => row.classList.toggle("chosen", i === hitPlace));
  hitList.children[hitPlace]?.scrollIntoView({ block: "nearest" });
  visit(list[hitPlace]);
}

/** Count the hits in each entry; those in a function also in the call in which it is open, and around it. */
function countHits() {
  const isFound = flags(model.count);
  for (const node of found || []) {
    isFound[node] = 1;
    for (const copy of model.copies.get(node) || []) isFound[copy] = 1;
  }
  hitCounts = found ? sumInside((node) => isFound[node]) : [];
  const calls = [...tree.inside].map(([call, body]) => [call, hitsIn(rootOf(body))]);
  for (const [call, count] of calls) for (const around of pathTo(call)) hitCounts[around] += count;
}

const hitsIn = (entry) => hitCounts[entry] || 0;

function listenToSearch() {
  const open = (event) => showHit([...hitList.children].indexOf(event.target.closest(".hit")));
  hitList.onclick = (event) => { if (event.target !== hitList) open(event); };
  onKeys(hitList, { Enter: open });
  queryField.oninput = () => search(queryField.value);
  onKeys(queryField, {
    Enter: (event) => showHit(hitPlace + (event.shiftKey ? -1 : 1)),
    ArrowDown: () => hitList.firstChild?.focus(),
    Escape: () => {
      setQuery("");
      canvas.focus();
    },
  });
}

function setQuery(text) {
  queryField.value = text;
  search(text);
}
