// First steps of the layered layout: remove cycles, give each box a layer, break long edges with dummies.
//
// A graph here is { count, edges: [[from, to], ...] } of the boxes of one level: hierarchy.py keeps levels small.

/** Return the edges with those of a small feedback set reversed (Eades, Lin, Smyth 1993). Ties go to the first box. */
function withoutCycles(count, edges) {
  const out = Array.from({ length: count }, () => []);
  const into = Array.from({ length: count }, () => []);
  for (const [a, b] of edges) {
    out[a].push(b);
    into[b].push(a);
  }
  const outDegree = out.map((list) => list.length), inDegree = into.map((list) => list.length);
  const removed = new Uint8Array(count);
  const front = [], back = [];
  const sources = [], sinks = [];
  let left = count;
  const remove = (v, list) => {
    removed[v] = 1;
    left--;
    list.push(v);
    for (const w of out[v]) if (!removed[w] && --inDegree[w] === 0) sources.push(w);
    for (const w of into[v]) if (!removed[w] && --outDegree[w] === 0) sinks.push(w);
  };
  for (let v = count - 1; v >= 0; v--) {
    if (inDegree[v] === 0) sources.push(v);
    if (outDegree[v] === 0) sinks.push(v);
  }
  while (left) {
    if (sinks.length) {
      const v = sinks.pop();
      if (!removed[v]) remove(v, back);
    } else if (sources.length) {
      const v = sources.pop();
      if (!removed[v]) remove(v, front);
    } else {
      let best = -1;
      for (let v = 0; v < count; v++) {
        if (!removed[v] && (best < 0 || outDegree[v] - inDegree[v] > outDegree[best] - inDegree[best])) best = v;
      }
      remove(best, front);
    }
  }
  const place = new Int32Array(count);
  [...front, ...back.reverse()].forEach((v, i) => { place[v] = i; });
  return edges.map(([a, b]) => (place[a] <= place[b] ? [a, b] : [b, a]));
}

/** Return the layer of each box, so that edges are short. The ports in `first` and `last` are at the rims. */
function layersOf(count, edges, first, last) {
  const top = count, bottom = count + 1;  // two more vertices, which stand for all ports of a rim
  const end = (v) => (first.has(v) ? top : last.has(v) ? bottom : v);
  const links = edges.map(([a, b]) => [end(a), end(b), 1]).filter(([a, b]) => a !== b);
  const isTarget = new Uint8Array(count), isSource = new Uint8Array(count);
  for (const [a, b] of links) {
    if (a < count) isSource[a] = 1;
    if (b < count) isTarget[b] = 1;
  }
  for (let v = 0; v < count; v++) {
    if (!isTarget[v]) links.push([top, v, 0]);
    if (!isSource[v]) links.push([v, bottom, 0]);
  }
  links.push([top, bottom, 0]);
  const layer = longestPaths(count + 2, links);
  networkSimplex(count + 2, links, layer);
  let low = Infinity, high = -Infinity;
  for (let v = 0; v < count; v++) {
    if (end(v) !== v) continue;
    low = Math.min(low, layer[v]);
    high = Math.max(high, layer[v]);
  }
  if (low > high) low = high = 0;
  if (first.size) low--;
  return Int32Array.from({ length: count }, (_, v) => (first.has(v) ? 0 : (last.has(v) ? high + 1 : layer[v]) - low));
}

/** Return the layer of each vertex behind the longest path to it. */
function longestPaths(count, links) {
  const out = Array.from({ length: count }, () => []);
  const waiting = new Int32Array(count), layer = new Int32Array(count);
  for (const [a, b] of links) {
    out[a].push(b);
    waiting[b]++;
  }
  const order = [];
  for (let v = 0; v < count; v++) if (!waiting[v]) order.push(v);
  for (let i = 0; i < order.length; i++) {
    for (const w of out[order[i]]) {
      layer[w] = Math.max(layer[w], layer[order[i]] + 1);
      if (--waiting[w] === 0) order.push(w);
    }
  }
  return layer;
}

/** Make the sum of the lengths of links as small as possible, from layers in which all links lead down.
 *
 * Gansner, Koutsofios, North, Vo (1993): a spanning tree of links that are as short as can be; a link of the tree whose
 * cut value is negative is exchanged for another until none is. A link is [from, to, weight].
 */
function networkSimplex(count, links, layer) {
  const slack = ([a, b]) => layer[b] - layer[a] - 1;
  const net = new Int32Array(count);  // the weight of links that leave a vertex, less that of those that enter
  for (const [a, b, weight] of links) {
    net[a] += weight;
    net[b] -= weight;
  }
  const inTree = tightTree(count, links, layer);
  const touching = Array.from({ length: count }, () => []);
  for (const i of inTree) for (const v of [links[i][0], links[i][1]]) touching[v].push(i);
  const parent = new Int32Array(count), order = [], sum = new Int32Array(count), side = new Uint8Array(count);
  for (let round = 0; round < 3 * count; round++) {
    order.length = 0;
    parent.fill(-1);
    const pending = [0];
    while (pending.length) {
      const v = pending.pop();
      order.push(v);
      for (const i of touching[v]) {
        if (i === parent[v]) continue;
        const w = links[i][0] === v ? links[i][1] : links[i][0];
        parent[w] = i;
        pending.push(w);
      }
    }
    sum.set(net);
    let worst = -1, least = 0;
    for (let k = order.length - 1; k > 0; k--) {
      const v = order[k], [a, b] = links[parent[v]];
      sum[a === v ? b : a] += sum[v];
      const cut = a === v ? sum[v] : -sum[v];
      if (cut < least) [worst, least] = [v, cut];
    }
    if (worst < 0) return;
    const leaving = parent[worst], isTail = links[leaving][0] === worst;
    side.fill(0);
    side[worst] = 1;
    for (const v of order) {
      if (parent[v] < 0 || v === worst) continue;
      const [a, b] = links[parent[v]];
      side[v] = side[a === v ? b : a];
    }
    let entering = -1;
    links.forEach((link, i) => {
      const [a, b] = link;
      if (side[a] === side[b] || (side[b] === 1) !== isTail) return;
      if (entering < 0 || slack(link) < slack(links[entering])) entering = i;
    });
    if (entering < 0) return;
    const shift = slack(links[entering]) * (isTail ? -1 : 1);
    for (let v = 0; v < count; v++) if (side[v]) layer[v] += shift;
    for (const v of [links[leaving][0], links[leaving][1]]) touching[v] = touching[v].filter((i) => i !== leaving);
    for (const v of [links[entering][0], links[entering][1]]) touching[v].push(entering);
  }
}

/** Return a spanning tree of links of length 1; layers are changed so that there is one. */
function tightTree(count, links, layer) {
  const touching = Array.from({ length: count }, () => []);
  links.forEach(([a, b], i) => {
    touching[a].push(i);
    touching[b].push(i);
  });
  const tree = [], seen = new Uint8Array(count), reached = [];
  const pending = [0];
  seen[0] = 1;
  for (;;) {
    while (pending.length) {
      const v = pending.pop();
      reached.push(v);
      for (const i of touching[v]) {
        const [a, b] = links[i], w = a === v ? b : a;
        if (seen[w] || layer[b] - layer[a] !== 1) continue;
        seen[w] = 1;
        tree.push(i);
        pending.push(w);
      }
    }
    if (reached.length === count) return tree;
    let best = null, least = Infinity;
    for (const [a, b] of links) {
      const slack = layer[b] - layer[a] - 1;
      if (seen[a] !== seen[b] && slack < least) [best, least] = [b, slack];
    }
    const shift = seen[best] ? -least : least;
    for (const v of reached) layer[v] += shift;
    pending.push(...reached);
    reached.length = 0;
  }
}

/** Break edges over several layers. Return the vertices of each layer, links between layers, and the path of each edge.
 *
 * Vertices from `count` on are dummies. There are not many, since no level has much more than MAX_CHILDREN boxes.
 */
function withDummies(count, edges, layer) {
  const layers = [];
  const place = (v, level) => {
    while (layers.length <= level) layers.push([]);
    layers[level].push(v);
  };
  for (let v = 0; v < count; v++) place(v, layer[v]);
  const down = Array.from({ length: count }, () => []);
  const up = Array.from({ length: count }, () => []);
  let next = count;
  const paths = edges.map(([a, b]) => {
    const path = [a];
    for (let level = layer[a] + 1; level < layer[b]; level++) {
      down.push([]);
      up.push([]);
      place(next, level);
      path.push(next++);
    }
    path.push(b);
    for (let k = 1; k < path.length; k++) {
      down[path[k - 1]].push(path[k]);
      up[path[k]].push(path[k - 1]);
    }
    return path;
  });
  return { layers, down, up, paths, total: next };
}
