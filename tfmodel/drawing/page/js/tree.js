// The hierarchy: entries with children, what is inside them, and the edges between the children of each entry.

const SCOPE = 0, GROUP = 1, STACK = 2, PART = 3, LEAF = 4;
const INPUTS = 6, CONSTANTS = 9;  // families of ops

/** Entries by number: parent, children, and sums over all nodes inside. Filled by `buildTree`. */
let tree;

function buildTree() {
  const { labels, parent, node } = model;
  const count = labels.length;
  const up = zeros(count).fill(-1), depth = zeros(count);
  const children = emptyLists(count);
  const entryOf = zeros(model.count).fill(-1);
  for (let e = 0; e < count; e++) {
    if (parent[e]) {
      up[e] = e - parent[e];
      depth[e] = depth[up[e]] + 1;
      children[up[e]].push(e);
    }
    if (node[e] >= 0) entryOf[node[e]] = e;
  }
  for (let i = 0; i < model.count; i++) {
    if (entryOf[i] < 0) entryOf[i] = entryOf[i - model.host[i]];
  }
  tree = { count, up, depth, children, entryOf, links: new Map(), ops: new Map(), inside: new Map() };
  Object.assign(tree, {
    size: sumInside((i) => model.isReal[i]),
    parameters: sumInside((i) => elementsOf(weightIn(i)?.shape)),
    heat: sumInside((i) => model.heat.get(originOf(i)) || 0),
    changes: sumInside((i) => Number(model.status.has(i))),
  });
  findMeetings();
}

/** Return the sums of a value of nodes, over all nodes in each entry. */
function sumInside(valueOf) {
  const sums = new Float64Array(tree.count);
  for (let i = 0; i < model.count; i++) if (tree.entryOf[i] >= 0) sums[tree.entryOf[i]] += valueOf(i);
  for (let e = tree.count - 1; e > 0; e--) if (model.parent[e]) sums[e - model.parent[e]] += sums[e];
  return sums;
}

/** Derive for each edge the entry where its ends meet, and the children of that entry which the ends are in. */
function findMeetings() {
  const { up, depth, entryOf } = tree;
  const before = zeros(model.from.length), after = before.slice();
  const meeting = new Map();
  for (const e of model.edges) {
    let a = entryOf[model.from[e]], b = entryOf[model.to[e]];
    if (a < 0 || b < 0 || a === b || model.host[model.from[e]]) continue;  // a constant is inside each box that takes it
    while (depth[a] > depth[b]) a = up[a];
    while (depth[b] > depth[a]) b = up[b];
    while (up[a] !== up[b]) {
      a = up[a];
      b = up[b];
    }
    before[e] = a;
    after[e] = b;
    if (a !== b) addTo(meeting, up[a], e);
  }
  Object.assign(tree, { before, after, meeting });
}

/** Return the links between children of an entry: edges of one kind, from one child to another. */
function linksOf(entry) {
  if (!tree.links.has(entry)) {
    const links = new Map();
    const inside = tree.inside.get(entry);
    for (const edge of tree.meeting.get(inside === undefined ? entry : rootOf(inside)) || []) {
      const from = tree.before[edge], to = tree.after[edge], control = isControl(edge);
      const key = (from * tree.count + to) * 2 + control;
      if (!links.has(key)) links.set(key, { from, to, control, edges: [] });
      links.get(key).edges.push(edge);
    }
    tree.links.set(entry, [...links.values()]);
  }
  return tree.links.get(entry);
}

/** Return the ops inside an entry by number with their counts, most frequent first; constants are left out. */
function opsIn(entry) {
  if (!tree.ops.has(entry)) {
    const counts = new Map();
    tree.isPassing ??= model.ops.map((op) => /^(Const|Identity|NoOp)$/.test(op));
    for (const node of nodesIn(entry, 20000)) {
      if (!tree.isPassing[model.op[node]]) counts.set(model.op[node], (counts.get(model.op[node]) || 0) + 1);
    }
    tree.ops.set(entry, [...counts].sort(([a, some], [b, others]) => model.family[a] - model.family[b] || others - some));
  }
  return tree.ops.get(entry);
}

const mainRank = (entry) => model.family[opsIn(entry)[0]?.[0]];

/** Return the nodes of the leaves of an entry, at most `limit`. */
function nodesIn(entry, limit) {
  const nodes = [];
  const pending = [entry];
  while (pending.length && nodes.length < limit) {
    const current = pending.pop();
    if (model.node[current] >= 0) nodes.push(model.node[current]);
    for (let i = tree.children[current].length - 1; i >= 0; i--) pending.push(tree.children[current][i]);
  }
  return nodes;
}

/** Return the entries around an entry, outermost first, and the entry itself. */
function pathTo(entry) {
  const path = [];
  for (let e = entry; e >= 0; e = tree.up[e]) path.unshift(e);
  return path;
}

const isLeaf = (entry) => model.kind[entry] === LEAF;
const rootOf = (body) => model.bodies[body].entry;

/** Return the body whose picture an entry is in: that of its function, or of the call in which the function is open. */
function bodyOfEntry(entry) {
  const [root] = pathTo(entry);
  return model.bodies.findIndex((body) => root >= body.entry && root < body.entry + body.entries);
}

/** Return the inputs and outputs of a body: of a function, its results, and the arguments that have boxes. */
function endsOf(body) {
  if (!body) return model.ends;
  const { start, real, count, results, inputs, outputs } = model.bodies[body];
  if (inputs) return { inputs, outputs };
  const others = Array.from({ length: count - real }, (_, i) => start + real + i);
  return { inputs: others.filter((i) => opOf(i) === "(argument)" && !model.host[i]), outputs: results.filter((i) => i >= 0) };
}

/** Put the body of the function that a node calls inside the node. Return false if there is none, or it is around it.
 *
 * A body has its entries once, so that it is open in one place at a time.
 */
function enterCall(call) {
  const [body] = callsOf(model.node[call]);
  if (body === undefined || tree.inside.has(call)) return body !== undefined;
  const path = pathTo(call);
  if (path[0] === rootOf(body) || path.some((around) => tree.inside.get(around) === body)) return false;
  for (const [other, its] of tree.inside) if (its === body) leaveCall(other);
  tree.inside.set(call, body);
  tree.children[call] = tree.children[rootOf(body)];
  for (const child of tree.children[call]) tree.up[child] = call;
  return true;
}

/** Take the body out of a call again. */
function leaveCall(call) {
  const root = rootOf(tree.inside.get(call));
  for (const child of tree.children[call]) tree.up[child] = root;
  tree.children[call] = [];
  tree.inside.delete(call);
  tree.links.delete(call);
  state.open.delete(call);
}

/** Return the full name of an entry: that of its node; or its scopes, and the label of an entry that is not a scope. */
function fullName(entry) {
  if (model.node[entry] >= 0) return nameOf(model.node[entry]);
  return pathTo(entry).slice(1).filter((e) => model.kind[e] === SCOPE || e === entry).map((e) => model.labels[e]).join("/") || model.labels[entry];
}
