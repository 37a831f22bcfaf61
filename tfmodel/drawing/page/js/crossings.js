// Order the vertices of each layer so that few edges cross.
//
// Links end at places: the position of a vertex in its layer and, for an open scope, a part of it for the port that the
// link goes through. `shifts` has these parts by vertex and neighbour; without them, all links of a box end in its middle.

const MAX_SWEEPS = 24, MAX_IDLE = 5;
const SWITCHED = 3000;  // vertices: drawings with more links over many layers have no switches
const linkKey = (a, b) => a * 1e7 + b;
const WORK = 4e6;  // steps: small drawings are ordered from more starts

/** Order the layers in place: sweeps with switches from several starts, of which the best is kept. `old` comes first. */
function orderLayers(graph, old = null) {
  const { layers, down, up, total, shifts } = graph;
  const place = zeros(total);
  const setPlaces = (level) => level.forEach((v, i) => { place[v] = i; });
  const copied = () => layers.map((level) => level.slice());
  const placeOf = (v, from) => place[v] + (shifts.size ? shifts.get(linkKey(v, from)) ?? 0 : 0);
  const links = sum(down.map((list) => list.length));
  const starts = Math.max(2, Math.min(12, Math.floor(WORK / (1 + links * links / layers.length))));
  const chance = randomNumbers();
  const given = copied();
  let best = null, fewest = Infinity;
  if (old) {
    for (const level of layers) level.sort((v, w) => old[v] - old[w]);
    sweep(false, 4);
  }
  for (let start = 0; start < (old ? 0 : starts) && fewest; start++) {
    const isFromBelow = start % 2 === 1;
    if (start < 4) walkedOrders(given, graph, isFromBelow, start > 1).forEach(setOrder);
    else best.forEach((level, i) => setOrder(shaken(level, chance), i));
    sweep(isFromBelow, MAX_SWEEPS);
  }
  best.forEach(setOrder);
  layers.forEach(setPlaces);
  return place;

  function setOrder(level, i) {
    layers[i] = level;
  }

  function keepIfBetter() {
    const crossings = countCrossings(layers, down, placeOf);
    if (crossings >= fewest) return false;
    fewest = crossings;
    best = copied();
    return true;
  }

  function sweep(isFromBelow, rounds) {
    layers.forEach(setPlaces);
    keepIfBetter();
    for (let round = 0, idle = 0; round < rounds && idle < MAX_IDLE && fewest; round++) {
      const isDown = (round % 2 === 0) !== isFromBelow;
      for (let i = 1; i < layers.length; i++) {
        const level = layers[isDown ? i : layers.length - 1 - i];
        sortByBarycentre(level, isDown ? up : down, place, placeOf, round % 4 > 1);
        setPlaces(level);
      }
      if (total < SWITCHED) switchNeighbours(graph, place, placeOf, round % 2 === 1);
      idle = keepIfBetter() ? 0 : idle + 1;
    }
  }
}

/** Return a source of numbers from 0 to 1, the same ones each time. */
function randomNumbers() {
  let seed = 1;
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 4294967296;
  };
}

/** Return the order of a layer with some vertices moved. */
function shaken(level, chance) {
  const key = new Map(level.map((v, k) => [v, k + (chance() - 0.5) * (level.length * 0.35)]));
  return level.slice().sort((v, w) => key.get(v) - key.get(w));
}

/** Return the layers in the order in which a walk through the graph finds the vertices: depth first or breadth first. */
function walkedOrders(layers, { layerOf, down, up, total }, isFromBelow, isBroad) {
  const seen = flags(total);
  const ordered = emptyLists(layers.length);
  for (const start of (isFromBelow ? layers.slice().reverse() : layers).flat()) {
    const pending = [start];
    while (pending.length) {
      const v = isBroad ? pending.shift() : pending.pop();
      if (seen[v]) continue;
      seen[v] = 1;
      ordered[layerOf[v]].push(v);
      const next = [...down[v], ...up[v]];
      pending.push(...(isBroad ? next : next.reverse()).filter((w) => !seen[w]));
    }
  }
  return ordered;
}

/** Sort a layer by the mean place of neighbours; vertices without neighbours keep their places. */
function sortByBarycentre(level, neighbours, place, placeOf, reverseTies) {
  const moving = level.filter((v) => neighbours[v].length);
  const key = new Map(moving.map((v) => [v, sum(neighbours[v].map((w) => placeOf(w, v))) / neighbours[v].length]));
  const sign = reverseTies ? -1 : 1;
  moving.sort((v, w) => key.get(v) - key.get(w) || sign * (place[v] - place[w]));
  let next = 0;
  level.forEach((v, i) => { if (key.has(v)) level[i] = moving[next++]; });
}

/** Count all crossings: inversions of the lower ends of links, with an accumulator tree (Barth, Jünger, Mutzel 2002). */
function countCrossings(layers, down, placeOf) {
  let crossings = 0;
  for (const level of layers) {
    const links = level.flatMap((v) => down[v].map((w) => [placeOf(v, w), placeOf(w, v)]));
    const ends = [...new Set(links.map((link) => link[1]))].sort((a, b) => a - b);
    const rank = new Map(ends.map((end, i) => [end, i]));
    links.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    let size = 1;
    while (size < ends.length) size *= 2;
    const sums = zeros(2 * size);
    for (const [, end] of links) {
      let at = rank.get(end) + size;
      sums[at]++;
      while (at > 1) {
        if (at % 2 === 0) crossings += sums[at + 1];
        at >>= 1;
        sums[at]++;
      }
    }
  }
  return crossings;
}

/** Exchange neighbours in a layer as long as that removes crossings; with `isLoose`, once also if it adds none. */
function switchNeighbours({ layers, down, up }, place, placeOf, isLoose) {
  let isBetter = true;
  for (let round = 0; round < 10 && isBetter; round++) {
    isBetter = false;
    for (const level of layers) {
      for (let i = 0; i + 1 < level.length; i++) {
        const v = level[i], w = level[i + 1];
        const gain = pairCrossings(up, v, w, placeOf) + pairCrossings(down, v, w, placeOf);
        if (gain < 0 || (gain === 0 && !(isLoose && round === 0))) continue;
        [level[i], level[i + 1]] = [w, v];
        [place[w], place[v]] = [i, i + 1];
        isBetter ||= gain > 0;
      }
    }
  }
}

/** Return the crossings with v before w, less those with w before v. */
function pairCrossings(neighbours, v, w, placeOf) {
  let difference = 0;
  for (const a of neighbours[v]) {
    const end = placeOf(a, v);
    for (const b of neighbours[w]) difference += Math.sign(end - placeOf(b, w));
  }
  return difference;
}
