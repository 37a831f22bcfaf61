// First steps of the layered layout: remove cycles, give each box a layer, break long edges with dummies.
//
// A graph here is { count, edges: [[from, to], ...] } of the boxes of one level: hierarchy.py keeps levels small.

/** Return the edges with those of a small feedback set reversed (Eades, Lin, Smyth 1993). Ties go to the first box. */
function withoutCycles(count, edges) {
  const out = emptyLists(count), into = emptyLists(count);
  for (const [a, b] of edges) {
    out[a].push(b);
    into[b].push(a);
  }
  const outDegree = out.map((list) => list.length), inDegree = into.map((list) => list.length);
  const place = zeros(count);  // in an order in which few edges lead back; 0 for boxes without one
  const sources = [], sinks = [];
  for (let v = count - 1; v >= 0; v--) {
    if (inDegree[v] === 0) sources.push(v);
    if (outDegree[v] === 0) sinks.push(v);
  }
  let front = 1, back = count + 1;
  while (front < back) {
    let v, isSink = false;
    if (sinks.length) [v, isSink] = [sinks.pop(), true];
    else if (sources.length) v = sources.pop();
    else v = least([...place.keys()].filter((w) => !place[w]), (w) => inDegree[w] - outDegree[w]);
    if (place[v]) continue;
    place[v] = isSink ? --back : front++;
    for (const w of out[v]) if (!place[w] && --inDegree[w] === 0) sources.push(w);
    for (const w of into[v]) if (!place[w] && --outDegree[w] === 0) sinks.push(w);
  }
  return edges.map(([a, b]) => (place[a] <= place[b] ? [a, b] : [b, a]));
}

/** Return the layer of each box, so that edges are short. The ports in `first` and `last` are at the rims. */
function layersOf(count, edges, first, last) {
  const top = count, bottom = count + 1;  // two more vertices, which stand for all ports of a rim
  const end = (v) => (first.has(v) ? top : last.has(v) ? bottom : v);
  const links = edges.map(([a, b]) => [end(a), end(b), 1]).filter(([a, b]) => a !== b);
  const starts = new Set(links.map(([a]) => a)), ends = new Set(links.map(([, b]) => b));
  for (let v = 0; v < count; v++) {
    if (!ends.has(v)) links.push([top, v, 0]);
    if (!starts.has(v)) links.push([v, bottom, 0]);
  }
  links.push([top, bottom, 0]);
  const after = emptyLists(count + 2);
  for (const [a, b] of links) after[a].push([b, 1]);
  const [layer] = longestPaths(after);
  networkSimplex(count + 2, links, layer);
  const inner = [...layer.subarray(0, count)].filter((_, v) => end(v) === v);
  const low = inner.length ? Math.min(...inner) : 0, high = inner.length ? Math.max(...inner) : 0;
  const rim = first.size ? 1 : 0;
  return Int32Array.from({ length: count }, (_, v) => (first.has(v) ? 0 : (last.has(v) ? high + 1 : layer[v]) - low + rim));
}

const LEAST_GAP = 5;  // between edges that go past the boxes of a layer, where there is little room

/** Break layers that are wider than a limit into several; what has no edges from above comes first.
 *
 * Edges that go past boxes need room as well, and there are more of them in broken layers, so that some break again.
 */
function brokenLayers(layer, widths, edges, limit) {
  const rows = [], isTarget = flags(layer.length);
  for (const [, b] of edges) isTarget[b] = 1;
  for (let v = 0; v < layer.length; v++) (rows[layer[v]] ??= []).push(v);
  const shares = rows.map((row) => {
    const total = sum(row.map((v) => widths[v] + GAP));  // NaN for ports, whose layers are not broken
    row.sort((a, b) => isTarget[a] - isTarget[b] || a - b);
    return total / Math.ceil(total / limit);
  });
  for (;;) {
    const { broken, parts } = partsOf(rows, widths, shares, layer.length);
    for (const [a, b] of edges) for (let i = broken[a] + 1; i < broken[b]; i++) parts[i].width += LEAST_GAP;
    const tight = new Set(parts.filter(({ count, width }) => count > 1 && width > limit).map(({ row }) => row));
    if (!tight.size) return broken;
    for (const row of tight) shares[row] *= 0.8;
  }
}

/** Return the layers that rows are broken into: their numbers by vertex, and their rows, counts of boxes, and widths. */
function partsOf(rows, widths, shares, total) {
  const broken = zeros(total), parts = [];
  rows.forEach((vertices, row) => {
    let part = null;
    for (const v of vertices) {
      if (!part || part.width + GAP + widths[v] / 2 > shares[row]) parts.push(part = { row, count: 0, width: -GAP });
      broken[v] = parts.length - 1;
      part.count++;
      part.width += GAP + widths[v];
    }
  });
  return { broken, parts };
}

/** Return the length of the longest path to each vertex, and an order in which all links lead on.
 *
 * `after` has for each vertex the next ones, each with the length of the link.
 */
function longestPaths(after) {
  const waiting = zeros(after.length), lengths = new Float64Array(after.length);
  for (const next of after) for (const [w] of next) waiting[w]++;
  const order = [...after.keys()].filter((v) => !waiting[v]);
  for (const v of order) {
    for (const [w, length] of after[v]) {
      lengths[w] = Math.max(lengths[w], lengths[v] + length);
      if (--waiting[w] === 0) order.push(w);
    }
  }
  return [lengths, order];
}

/** Make the sum of the lengths of links as small as possible, from layers in which all links lead down.
 *
 * Gansner, Koutsofios, North, Vo (1993): a spanning tree of links that are as short as can be; a link of the tree whose
 * cut value is negative is exchanged for another until none is. A link is [from, to, weight].
 */
function networkSimplex(count, links, layer) {
  const net = zeros(count);  // the weight of links that leave a vertex, less that of those that enter
  for (const [a, b, weight] of links) {
    net[a] += weight;
    net[b] -= weight;
  }
  const inTree = new Set(tightTree(count, links, layer));
  for (let round = 0; round < 3 * count; round++) {
    const { order, parent } = walkTree(count, links, inTree);
    const total = net.slice();
    let worst = -1, lowest = 0;
    for (const v of order.slice(1).reverse()) {
      const [a, b] = links[parent[v]];
      total[a === v ? b : a] += total[v];
      const cut = a === v ? total[v] : -total[v];
      if (cut < lowest) [worst, lowest] = [v, cut];
    }
    if (worst < 0) return;
    const leaving = parent[worst], isTail = links[leaving][0] === worst;
    const side = flags(count);
    for (const v of order) {
      const [a, b] = links[parent[v]] || [v, v];
      side[v] = v === worst || side[a === v ? b : a];
    }
    const entering = least([...links.keys()].filter((i) => {
      const [a, b] = links[i];
      return side[a] !== side[b] && (side[b] === 1) === isTail;
    }), (i) => slack(links[i], layer));
    if (entering === null) return;
    const shift = slack(links[entering], layer) * (isTail ? -1 : 1);
    for (let v = 0; v < count; v++) if (side[v]) layer[v] += shift;
    inTree.delete(leaving);
    inTree.add(entering);
  }
}

const slack = ([a, b], layer) => layer[b] - layer[a] - 1;

/** Return the vertices of a tree of links, from the first on, and the link through which each is reached. */
function walkTree(count, links, inTree) {
  const touching = emptyLists(count);
  for (const i of inTree) for (const v of links[i].slice(0, 2)) touching[v].push(i);
  const parent = zeros(count).fill(-1), order = [0];
  for (const v of order) {
    for (const i of touching[v]) {
      if (i === parent[v]) continue;
      const w = links[i][0] === v ? links[i][1] : links[i][0];
      parent[w] = i;
      order.push(w);
    }
  }
  return { order, parent };
}

/** Return a spanning tree of links of length 1; layers are changed so that there is one. */
function tightTree(count, links, layer) {
  const tree = [], seen = flags(count);
  seen[0] = 1;
  for (;;) {
    for (let before = -1; before < tree.length;) {
      before = tree.length;
      links.forEach(([a, b], i) => {
        if (seen[a] === seen[b] || layer[b] - layer[a] !== 1) return;
        seen[a] = seen[b] = 1;
        tree.push(i);
      });
    }
    if (tree.length === count - 1) return tree;
    const next = least(links.filter(([a, b]) => seen[a] !== seen[b]), (link) => slack(link, layer));
    const shift = slack(next, layer) * (seen[next[1]] ? -1 : 1);
    for (let v = 0; v < count; v++) if (seen[v]) layer[v] += shift;
  }
}

/** Break edges over several layers. Return the vertices of each layer, links between layers, and the path of each edge.
 *
 * Vertices from `count` on are dummies. There are not many, since no level has much more than MAX_CHILDREN boxes.
 */
function withDummies(count, edges, layer) {
  const layerOf = [...layer], down = emptyLists(count), up = emptyLists(count);
  const paths = edges.map(([a, b]) => {
    const path = [a];
    for (let level = layer[a] + 1; level < layer[b]; level++) {
      path.push(layerOf.length);
      layerOf.push(level);
      down.push([]);
      up.push([]);
    }
    path.push(b);
    for (let k = 1; k < path.length; k++) {
      down[path[k - 1]].push(path[k]);
      up[path[k]].push(path[k - 1]);
    }
    return path;
  });
  const layers = emptyLists(Math.max(...layer) + 1);
  layerOf.forEach((level, v) => layers[level].push(v));
  return { layers, layerOf, down, up, paths, total: layerOf.length };
}
