// First steps of the layered layout: remove cycles, give each box a layer, break long edges with dummies.
//
// A graph here is { count, edges: [[from, to], ...] } of the boxes of one level.

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

/** Return the layer of each box: longest paths, then each box moves to where its edges are shortest, until none does. */
function layersOf(count, edges, first, last) {
  const out = Array.from({ length: count }, () => []);
  const into = Array.from({ length: count }, () => []);
  const waiting = new Int32Array(count);
  for (const [a, b] of edges) {
    out[a].push(b);
    into[b].push(a);
    waiting[b]++;
  }
  const layer = new Int32Array(count);
  const order = [];
  for (let v = 0; v < count; v++) if (!waiting[v]) order.push(v);
  for (let i = 0; i < order.length; i++) {
    for (const w of out[order[i]]) {
      layer[w] = Math.max(layer[w], layer[order[i]] + 1);
      if (--waiting[w] === 0) order.push(w);
    }
  }
  for (let round = 0; round < 20; round++) {
    let moved = false;
    for (let i = order.length - 1; i >= 0; i--) moved = pull(order[i]) || moved;
    for (const v of order) moved = pull(v) || moved;
    if (!moved) break;
  }
  /** Move a box within its range towards the side with more edges. */
  function pull(v) {
    if (into[v].length === out[v].length) return false;
    let target;
    if (out[v].length > into[v].length) target = Math.min(...out[v].map((w) => layer[w])) - 1;
    else target = Math.max(...into[v].map((w) => layer[w])) + 1;
    const old = layer[v];
    layer[v] = target;
    return target !== old;
  }
  // Ports of a frame are at its rim, whatever their edges.
  let low = Infinity, high = -Infinity;
  for (let v = 0; v < count; v++) {
    if (first.has(v) || last.has(v)) continue;
    low = Math.min(low, layer[v]);
    high = Math.max(high, layer[v]);
  }
  if (low > high) low = high = 0;
  for (const v of first) layer[v] = low - 1;
  for (const v of last) layer[v] = high + 1;
  const lowest = first.size ? low - 1 : low;
  for (let v = 0; v < count; v++) layer[v] -= lowest;
  return layer;
}

const MAX_DUMMIES = 50000;

/** Break edges over several layers. Return the vertices of each layer, links between layers, and the path of each edge.
 *
 * Vertices from `count` on are dummies. If there would be too many, the longest edges have no path: they become stubs.
 */
function withDummies(count, edges, layer) {
  const lengths = edges.map(([a, b]) => Math.max(0, layer[b] - layer[a] - 1));
  let budget = MAX_DUMMIES;
  const isStub = new Uint8Array(edges.length);
  for (const i of [...edges.keys()].sort((i, j) => lengths[i] - lengths[j] || i - j)) {
    budget -= lengths[i];
    if (budget < 0) isStub[i] = 1;
  }
  const layers = [];
  const place = (v, level) => {
    while (layers.length <= level) layers.push([]);
    layers[level].push(v);
  };
  for (let v = 0; v < count; v++) place(v, layer[v]);
  const down = Array.from({ length: count }, () => []);
  const up = Array.from({ length: count }, () => []);
  let next = count;
  const paths = edges.map(([a, b], i) => {
    if (isStub[i] || layer[a] >= layer[b]) return null;
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
