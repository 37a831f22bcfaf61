// Horizontal coordinates by the method of Brandes and Köpf (2002): vertices are aligned with their median neighbours
// into vertical blocks, in four ways, and each vertex takes the mean of its two middle coordinates. Blocks are packed by
// longest paths over all pairs of neighbours, which heeds the widths of boxes and needs no repair of classes.

/** Return the x of the centre of each vertex. `width` has their widths, `gap(v, w)` the space between neighbours. */
function xCoordinates({ layers, down, up, total }, count, place, width, gap) {
  const conflicts = findConflicts(layers, up, count, place);
  const results = [];
  for (const isUp of [true, false]) {
    for (const isLeft of [true, false]) {
      const root = alignBlocks(layers, isUp ? up : down, place, conflicts, isUp, isLeft, total);
      results.push({ x: packBlocks(layers, root, width, gap, isLeft, total), isLeft });
    }
  }
  let narrowest = null;
  for (const result of results) {
    result.low = Infinity;
    result.high = -Infinity;
    for (let v = 0; v < total; v++) {
      result.low = Math.min(result.low, result.x[v] - width[v] / 2);
      result.high = Math.max(result.high, result.x[v] + width[v] / 2);
    }
    if (!narrowest || result.high - result.low < narrowest.high - narrowest.low) narrowest = result;
  }
  for (const { x, isLeft, low, high } of results) {
    const shift = isLeft ? narrowest.low - low : narrowest.high - high;
    for (let v = 0; v < total; v++) x[v] += shift;
  }
  const middle = new Float64Array(total);
  for (let v = 0; v < total; v++) {
    const sorted = results.map(({ x }) => x[v]).sort((a, b) => a - b);
    middle[v] = (sorted[1] + sorted[2]) / 2;
  }
  return middle;
}

/** Return the links that cross a link between two dummies: these stay straight, so the others are not aligned. */
function findConflicts(layers, up, count, place) {
  const conflicts = new Set();
  for (let i = 1; i < layers.length; i++) {
    const level = layers[i];
    let low = 0, scanned = 0;
    for (let k = 0; k < level.length; k++) {
      const v = level[k];
      const inner = v >= count && up[v].length && up[v][0] >= count ? up[v][0] : -1;
      if (inner < 0 && k < level.length - 1) continue;
      const high = inner >= 0 ? place[inner] : layers[i - 1].length - 1;
      for (; scanned <= k; scanned++) {
        for (const u of up[level[scanned]]) {
          const isInner = u >= count && level[scanned] >= count;
          if (!isInner && (place[u] < low || place[u] > high)) conflicts.add(linkKey(u, level[scanned]));
        }
      }
      low = high;
    }
  }
  return conflicts;
}

const linkKey = (a, b) => (a < b ? a * 1e7 + b : b * 1e7 + a);

/** Return the first vertex of the block of each vertex. */
function alignBlocks(layers, neighbours, place, conflicts, isUp, isLeft, total) {
  const root = Int32Array.from({ length: total }, (_, v) => v);
  const next = Int32Array.from({ length: total }, (_, v) => v);
  const count = layers.length;
  for (let i = 1; i < count; i++) {
    const level = layers[isUp ? i : count - 1 - i];
    let limit = isLeft ? -1 : Infinity;
    for (let k = 0; k < level.length; k++) {
      const v = level[isLeft ? k : level.length - 1 - k];
      const sorted = neighbours[v].slice().sort((a, b) => place[a] - place[b]);
      if (!sorted.length) continue;
      const half = (sorted.length - 1) / 2;
      const medians = [Math.floor(half), Math.ceil(half)];
      if (!isLeft) medians.reverse();
      for (const m of medians) {
        const u = sorted[m];
        const isFree = isLeft ? place[u] > limit : place[u] < limit;
        if (next[v] !== v || !isFree || conflicts.has(linkKey(u, v))) continue;
        next[u] = v;
        root[v] = root[u];
        next[v] = root[v];
        limit = place[u];
      }
    }
  }
  return root;
}

/** Return coordinates in which no neighbours overlap and each block is straight: packed to one side. */
function packBlocks(layers, root, width, gap, isLeft, total) {
  const after = Array.from({ length: total }, () => []);
  const waiting = new Int32Array(total);
  for (const level of layers) {
    for (let k = 1; k < level.length; k++) {
      let [a, b] = [level[k - 1], level[k]];
      if (!isLeft) [a, b] = [b, a];
      after[root[a]].push([root[b], (width[a] + width[b]) / 2 + gap(a, b)]);
      waiting[root[b]]++;
    }
  }
  const x = new Float64Array(total);
  const order = [];
  for (let v = 0; v < total; v++) if (root[v] === v && !waiting[v]) order.push(v);
  for (let i = 0; i < order.length; i++) {
    for (const [w, distance] of after[order[i]]) {
      x[w] = Math.max(x[w], x[order[i]] + distance);
      if (--waiting[w] === 0) order.push(w);
    }
  }
  // Blocks with room move towards those after them, so that short blocks do not stick to the far side.
  for (let i = order.length - 1; i >= 0; i--) {
    const v = order[i];
    let limit = Infinity;
    for (const [w, distance] of after[v]) limit = Math.min(limit, x[w] - distance);
    if (limit < Infinity && limit > x[v]) x[v] = limit;
  }
  const sign = isLeft ? 1 : -1;
  return Float64Array.from({ length: total }, (_, v) => sign * x[root[v]]);
}
