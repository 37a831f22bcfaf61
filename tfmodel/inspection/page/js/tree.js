// The hierarchy: entries with children, what is inside them, and the edges between the children of each entry.

const SCOPE = 0, GROUP = 1, STACK = 2, PART = 3, LEAF = 4;

/** Entries by number: parent, children, and sums over all nodes inside. Filled by `buildTree`. */
let tree;

function buildTree() {
  const { labels, parent, kind, node } = model;
  const count = labels.length;
  const up = new Int32Array(count).fill(-1);
  const depth = new Int32Array(count);
  const children = Array.from({ length: count }, () => []);
  const entryOf = new Int32Array(model.count).fill(-1);
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
  const size = new Int32Array(count);
  const needed = new Int32Array(count);
  const parameters = new Float64Array(count);
  const heavy = new Int32Array(count);  // needed convolutions and products of matrices
  const heat = new Float64Array(count);
  const changes = new Int32Array(count);
  for (let i = 0; i < model.count; i++) {
    const e = entryOf[i];
    if (e < 0) continue;
    size[e] += model.isReal[i];
    needed[e] += model.needed[i];
    heavy[e] += model.needed[i] && familyRank(opOf(i)) === 0 ? 1 : 0;
    heat[e] += model.heat.get(i) || 0;
    changes[e] += model.status.has(i) ? 1 : 0;
    const weight = model.weightOf.get(i);
    if (weight && weight.shape) parameters[e] += weight.shape.reduce((product, length) => product * (length || 0), 1);
  }
  for (let e = count - 1; e > 0; e--) {
    if (up[e] < 0) continue;
    for (const column of [size, needed, heavy, parameters, heat, changes]) column[up[e]] += column[e];
  }
  tree = { count, up, depth, children, entryOf, size, needed, heavy, parameters, heat, changes, links: new Map(), ops: new Map(), inside: new Map() };
  findMeetings();
}

/** Derive for each edge the entry where its ends meet, and the children of that entry which the ends are in. */
function findMeetings() {
  const { up, depth, entryOf } = tree;
  const edges = model.from.length;
  const before = new Int32Array(edges), after = new Int32Array(edges);
  const meeting = new Map();
  for (let e = 0; e < edges; e++) {
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
    if (a === b) continue;
    const list = meeting.get(up[a]);
    if (list) list.push(e);
    else meeting.set(up[a], [e]);
  }
  Object.assign(tree, { before, after, meeting });
}

/** Return the links between children of an entry: edges of one kind, from one child to another. */
function linksOf(entry) {
  let links = tree.links.get(entry);
  if (!links) {
    const found = new Map();
    const inside = tree.inside.get(entry);
    for (const edge of tree.meeting.get(inside === undefined ? entry : rootOf(inside)) || []) {
      const control = model.port[edge] < 0;
      const key = (tree.before[edge] * tree.count + tree.after[edge]) * 2 + control;
      const link = found.get(key);
      if (link) link.edges.push(edge);
      else found.set(key, { from: tree.before[edge], to: tree.after[edge], control, edges: [edge] });
    }
    links = [...found.values()];
    tree.links.set(entry, links);
  }
  return links;
}

/** Return the ops inside an entry with their counts, most frequent first; constants are left out. */
function opsIn(entry) {
  let ops = tree.ops.get(entry);
  if (!ops) {
    const counts = new Map();
    for (const node of nodesIn(entry, 20000)) {
      const op = opOf(node);
      if (op !== "Const" && op !== "Identity" && op !== "NoOp") counts.set(op, (counts.get(op) || 0) + 1);
    }
    ops = [...counts].sort((a, b) => familyRank(a[0]) - familyRank(b[0]) || b[1] - a[1]);
    tree.ops.set(entry, ops);
  }
  return ops;
}

/** Return the nodes of the leaves of an entry, at most `limit`. */
function nodesIn(entry, limit = Infinity) {
  const nodes = [];
  const pending = [entry];
  while (pending.length && nodes.length < limit) {
    const current = pending.pop();
    if (model.node[current] >= 0) nodes.push(model.node[current]);
    const inside = tree.children[current];
    for (let i = inside.length - 1; i >= 0; i--) pending.push(inside[i]);
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

/** Put the body of the function that a node calls inside the node. Return false if there is none, or it is around it.
 *
 * A body has its entries once, so that it is open in one place at a time.
 */
function enterCall(call) {
  const body = (model.calls.get(model.node[call]) || [])[0];
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

/** Return the full name of an entry: that of its node, or its scopes. */
function fullName(entry) {
  if (model.node[entry] >= 0) return model.names[model.node[entry]];
  return pathTo(entry).slice(1).filter((e) => model.kind[e] === SCOPE).map((e) => model.labels[e]).join("/") || model.labels[entry];
}

/** Return the entries that are open at first: best first by what computes outputs inside, to `limit` boxes. */
function firstOpen(root, limit = 60) {
  const open = new Set([root]);
  let boxes = tree.children[root].length;
  const weight = (e) => (model.difference ? tree.changes[e] : tree.needed[e] && tree.needed[e] + tree.heavy[e] * 100);
  const candidates = tree.children[root].filter((e) => !isLeaf(e));
  while (candidates.length) {
    candidates.sort((a, b) => weight(a) - weight(b) || b - a);
    const entry = candidates.pop();
    const more = tree.children[entry].length;
    if (!weight(entry) || boxes + more - 1 > limit || model.kind[entry] === GROUP) continue;
    open.add(entry);
    boxes += more - 1;
    candidates.push(...tree.children[entry].filter((e) => !isLeaf(e)));
  }
  return open;
}

/** Return the body that computes the outputs: in a SavedModel of TensorFlow 2, the graph only calls a function. */
function mainBody() {
  let body = 0;
  for (let depth = 0; depth < 5; depth++) {
    const { start, real } = model.bodies[body];
    let work = 0, called = -1;
    for (let i = start; i < start + real; i++) {
      if (!model.needed[i] || model.host[i]) continue;
      if (!/^(Placeholder|Identity|NoOp|Const|.*Variable.*|VarHandleOp)$/.test(opOf(i))) work++;
      for (const other of model.calls.get(i) || []) {
        if (other !== body && (called < 0 || model.bodies[other].real > model.bodies[called].real)) called = other;
      }
    }
    if (called < 0 || work > 3 || model.bodies[called].real < work) break;
    body = called;
  }
  return body;
}
