// Order the vertices of each layer so that few edges cross.
//
// Links end at places: the position of a vertex in its layer and, for an open scope, a part of it for the port that the
// link goes through. `shifts` has these parts by vertex and neighbour; without them, all links of a box end in its middle.

const MAX_SWEEPS = 24, MAX_IDLE = 5;
const SWITCHED = 3000;  // vertices: drawings with more links over many layers have no switches
const portKey = (v, from) => v * 1e7 + from;
const WORK = 4e6;  // steps: small drawings are ordered from more starts

/** Order the layers in place: sweeps with switches from several starts, of which the best is kept. `old` comes first. */
function orderLayers({ layers, down, up, total, shifts = new Map() }, old = null) {
  const place = new Int32Array(total);
  const setPlaces = (level) => level.forEach((v, i) => { place[v] = i; });
  const given = layers.map((level) => level.slice());
  const placeOf = (v, from) => place[v] + (shifts.size ? shifts.get(portKey(v, from)) ?? 0 : 0);
  const links = down.reduce((sum, list) => sum + list.length, 0);
  const starts = Math.max(2, Math.min(12, Math.floor(WORK / (1 + links * links / layers.length))));
  const chance = randomNumbers();
  let best = null, fewest = Infinity;
  if (old) {
    layers.forEach((level) => {
      level.sort((v, w) => old[v] - old[w]);
      setPlaces(level);
    });
    sweep(false, 4);
  }
  for (let start = 0; start < (old ? 0 : starts) && fewest; start++) {
    given.forEach((level, i) => { layers[i] = level.slice(); });
    if (start < 4) startOrder(layers, down, up, total, start % 2 === 1, start > 1);
    else {
      // From the best order so far, with some vertices moved.
      layers.forEach((level, i) => {
        level.splice(0, level.length, ...best[i]);
        const amount = level.length * 0.35;
        const key = new Map(level.map((v, k) => [v, k + (chance() - 0.5) * amount]));
        level.sort((v, w) => key.get(v) - key.get(w));
      });
    }
    layers.forEach(setPlaces);
    sweep(start % 2 === 1, MAX_SWEEPS);
  }
  best.forEach((level, i) => {
    layers[i] = level;
    setPlaces(level);
  });
  return place;

  function keepIfBetter() {
    const crossings = countCrossings(layers, down, placeOf);
    if (crossings >= fewest) return false;
    fewest = crossings;
    best = layers.map((level) => level.slice());
    return true;
  }

  function sweep(isFromBelow, rounds) {
    keepIfBetter();
    for (let round = 0, idle = 0; round < rounds && idle < MAX_IDLE && fewest; round++) {
      const isDown = (round % 2 === 0) !== isFromBelow;
      for (let i = 1; i < layers.length; i++) {
        const level = layers[isDown ? i : layers.length - 1 - i];
        sortByBarycentre(level, isDown ? up : down, place, placeOf, round % 4 > 1);
        setPlaces(level);
      }
      if (total < SWITCHED) switchNeighbours(layers, down, up, place, placeOf, round % 2 === 1);
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

/** Order the layers as a walk through the graph finds the vertices: depth first or breadth first. */
function startOrder(layers, down, up, total, isFromBelow, isBroad) {
  const layerOf = new Int32Array(total);
  layers.forEach((level, i) => level.forEach((v) => { layerOf[v] = i; }));
  const seen = new Uint8Array(total);
  const ordered = layers.map(() => []);
  for (const level of isFromBelow ? layers.slice().reverse() : layers) {
    for (const start of level) {
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
  }
  ordered.forEach((level, i) => { layers[i] = level; });
}

/** Sort a layer by the mean place of neighbours; vertices without neighbours keep their places. */
function sortByBarycentre(level, neighbours, place, placeOf, reverseTies) {
  const key = new Map();
  const moving = [];
  for (const v of level) {
    const list = neighbours[v];
    if (!list.length) continue;
    let sum = 0;
    for (const w of list) sum += placeOf(w, v);
    key.set(v, sum / list.length);
    moving.push(v);
  }
  const sign = reverseTies ? -1 : 1;
  moving.sort((v, w) => key.get(v) - key.get(w) || sign * (place[v] - place[w]));
  let next = 0;
  for (let i = 0; i < level.length; i++) if (key.has(level[i])) level[i] = moving[next++];
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
    const sums = new Int32Array(2 * size);
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
function switchNeighbours(layers, down, up, place, placeOf, isLoose) {
  for (let round = 0; round < 10; round++) {
    let isBetter = false;
    for (const level of layers) {
      for (let i = 0; i + 1 < level.length; i++) {
        const v = level[i], w = level[i + 1];
        const gain = pairCrossings(up, v, w, placeOf) + pairCrossings(down, v, w, placeOf);
        if (gain > 0 || (isLoose && round === 0 && gain === 0)) {
          level[i] = w;
          level[i + 1] = v;
          place[w] = i;
          place[v] = i + 1;
          isBetter ||= gain > 0;
        }
      }
    }
    if (!isBetter) return;
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
