// Horizontal coordinates by the method of Brandes and Köpf (2002): vertices are aligned with their median neighbours
// into vertical blocks, in four ways, and each vertex takes the mean of its two middle coordinates. Blocks are packed by
// longest paths over all pairs of neighbours, which heeds the widths of boxes and needs no repair of classes.

/** Return the x of the centre of each vertex. `width` has their widths, `gap(v, w)` the space between neighbours. */
function xCoordinates(graph, count, place, width, gap) {
  const conflicts = findConflicts(graph, count, place);
  const results = [];
  for (const isUp of [true, false]) {
    for (const isLeft of [true, false]) {
      const x = packBlocks(graph, alignBlocks(graph, place, conflicts, isUp, isLeft), width, gap, isLeft);
      results.push({ x, isLeft, ...extent(x, width) });
    }
  }
  const narrowest = least(results, ({ low, high }) => high - low);
  for (const { x, isLeft, low, high } of results) {
    const shift = isLeft ? narrowest.low - low : narrowest.high - high;
    x.forEach((_, v) => { x[v] += shift; });
  }
  return narrowest.x.map((_, v) => {
    const sorted = results.map(({ x }) => x[v]).sort((a, b) => a - b);
    return (sorted[1] + sorted[2]) / 2;
  });
}

/** Return the smallest and the largest x of vertices of these widths. */
function extent(x, width) {
  let low = Infinity, high = -Infinity;
  x.forEach((centre, v) => {
    low = Math.min(low, centre - width[v] / 2);
    high = Math.max(high, centre + width[v] / 2);
  });
  return { low, high };
}

/** Return the links that cross a link between two dummies: these stay straight, so the others are not aligned. */
function findConflicts({ layers, up }, count, place) {
  const conflicts = new Set();
  for (let i = 1; i < layers.length; i++) {
    const level = layers[i];
    let low = 0, scanned = 0;
    level.forEach((v, k) => {
      const inner = v >= count && up[v][0] >= count ? up[v][0] : -1;
      if (inner < 0 && k < level.length - 1) return;
      const high = inner >= 0 ? place[inner] : layers[i - 1].length - 1;
      for (; scanned <= k; scanned++) {
        const w = level[scanned];
        for (const u of up[w]) {
          if ((u < count || w < count) && (place[u] < low || place[u] > high)) conflicts.add(linkKey(u, w)).add(linkKey(w, u));
        }
      }
      low = high;
    });
  }
  return conflicts;
}

/** Return the first vertex of the block of each vertex. */
function alignBlocks({ layers, up, down, total }, place, conflicts, isUp, isLeft) {
  const root = Int32Array.from({ length: total }, (_, v) => v), next = root.slice();
  for (const level of isUp ? layers : layers.slice().reverse()) {
    let limit = isLeft ? -1 : Infinity;
    for (const v of isLeft ? level : level.slice().reverse()) {
      const sorted = (isUp ? up : down)[v].slice().sort((a, b) => place[a] - place[b]);
      const half = (sorted.length - 1) / 2, medians = [Math.floor(half), Math.ceil(half)];
      for (const m of isLeft ? medians : medians.reverse()) {
        const u = sorted[m];
        if (next[v] !== v || !(isLeft ? place[u] > limit : place[u] < limit) || conflicts.has(linkKey(u, v))) continue;
        next[u] = v;
        next[v] = root[v] = root[u];
        limit = place[u];
      }
    }
  }
  return root;
}

/** Return coordinates in which no neighbours overlap and each block is straight: packed to one side. */
function packBlocks({ layers, total }, root, width, gap, isLeft) {
  const after = emptyLists(total);
  for (const level of layers) {
    for (let k = 1; k < level.length; k++) {
      const [a, b] = isLeft ? [level[k - 1], level[k]] : [level[k], level[k - 1]];
      after[root[a]].push([root[b], (width[a] + width[b]) / 2 + gap(a, b)]);
    }
  }
  const [x, order] = longestPaths(after);
  // Blocks with room move towards those after them, so that short blocks do not stick to the far side.
  for (const v of order.reverse()) {
    if (after[v].length) x[v] = Math.max(x[v], Math.min(...after[v].map(([w, distance]) => x[w] - distance)));
  }
  return Float64Array.from(root, (first) => (isLeft ? x[first] : -x[first]));
}

/** Move vertices of a drawing that is wider than a limit closer together, in the order in which they are. */
function squeeze(centre, layers, width, gap, limit) {
  const { low, high } = extent(centre, width);
  if (high - low <= limit) return;
  for (const level of layers) {
    const apart = (i) => (width[level[i - 1]] + width[level[i]]) / 2 + gap(level[i - 1], level[i]);
    for (let i = 0; i < level.length; i++) {
      const v = level[i], half = width[v] / 2;
      const wanted = half + ((centre[v] - half - low) * (limit - width[v])) / Math.max(1, high - low - width[v]);
      centre[v] = i ? Math.max(wanted, centre[level[i - 1]] + apart(i)) : wanted;
    }
    for (let i = level.length - 1; i >= 0; i--) {
      const v = level[i];
      const most = i + 1 < level.length ? centre[level[i + 1]] - apart(i + 1) : limit - width[v] / 2;
      centre[v] = Math.min(centre[v], most);
    }
  }
}
