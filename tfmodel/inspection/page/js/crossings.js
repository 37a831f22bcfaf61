// Order the vertices of each layer so that few edges cross.

const MAX_SWEEPS = 24, MAX_IDLE = 6;
const SWITCHED = 3000;  // vertices: larger drawings have no switches, which compare all pairs of links

/** Order the layers in place, from two depth-first orders: sweeps, each with switches, of which the best is kept. */
function orderLayers({ layers, down, up, total }) {
  const place = new Int32Array(total);
  const setPlaces = (level) => level.forEach((v, i) => { place[v] = i; });
  const given = layers.map((level) => level.slice());
  let best = null, fewest = Infinity;
  for (const isFromBelow of [false, true]) {
    given.forEach((level, i) => { layers[i] = level.slice(); });
    startOrder(layers, down, up, total, isFromBelow);
    layers.forEach(setPlaces);
    sweep(isFromBelow);
    if (!fewest) break;
  }
  best.forEach((level, i) => {
    layers[i] = level;
    setPlaces(level);
  });
  return place;

  function keepIfBetter() {
    const crossings = countCrossings(layers, down, place);
    if (crossings >= fewest) return false;
    fewest = crossings;
    best = layers.map((level) => level.slice());
    return true;
  }

  function sweep(isFromBelow) {
    keepIfBetter();
    for (let round = 0, idle = 0; round < (total < 10000 ? MAX_SWEEPS : 6) && idle < MAX_IDLE && fewest; round++) {
      const isDown = (round % 2 === 0) !== isFromBelow;
      for (let i = 1; i < layers.length; i++) {
        const level = layers[isDown ? i : layers.length - 1 - i];
        sortByBarycentre(level, isDown ? up : down, place, round % 4 > 1);
        setPlaces(level);
      }
      if (total < SWITCHED) switchNeighbours(layers, down, up, place);
      idle = keepIfBetter() ? 0 : idle + 1;
    }
  }
}

function startOrder(layers, down, up, total, isFromBelow) {
  const layerOf = new Int32Array(total);
  layers.forEach((level, i) => level.forEach((v) => { layerOf[v] = i; }));
  const seen = new Uint8Array(total);
  const ordered = layers.map(() => []);
  for (const level of isFromBelow ? layers.slice().reverse() : layers) {
    for (const start of level) {
      const pending = [start];
      while (pending.length) {
        const v = pending.pop();
        if (seen[v]) continue;
        seen[v] = 1;
        ordered[layerOf[v]].push(v);
        for (let i = up[v].length - 1; i >= 0; i--) if (!seen[up[v][i]]) pending.push(up[v][i]);
        for (let i = down[v].length - 1; i >= 0; i--) if (!seen[down[v][i]]) pending.push(down[v][i]);
      }
    }
  }
  ordered.forEach((level, i) => { layers[i] = level; });
}

/** Sort a layer by the mean place of neighbours; vertices without neighbours keep their places. */
function sortByBarycentre(level, neighbours, place, reverseTies) {
  const key = new Map();
  const moving = [];
  for (const v of level) {
    const list = neighbours[v];
    if (!list.length) continue;
    let sum = 0;
    for (const w of list) sum += place[w];
    key.set(v, sum / list.length);
    moving.push(v);
  }
  const sign = reverseTies ? -1 : 1;
  moving.sort((v, w) => key.get(v) - key.get(w) || sign * (place[v] - place[w]));
  let next = 0;
  for (let i = 0; i < level.length; i++) if (key.has(level[i])) level[i] = moving[next++];
}

/** Count all crossings with an accumulator tree for each pair of layers (Barth, Jünger, Mutzel 2002). */
function countCrossings(layers, down, place) {
  let crossings = 0;
  for (let i = 0; i + 1 < layers.length; i++) {
    let size = 1;
    while (size < layers[i + 1].length) size *= 2;
    const sums = new Int32Array(2 * size);
    for (const v of layers[i]) {
      const ends = down[v].map((w) => place[w]).sort((a, b) => a - b);
      for (const end of ends) {
        let at = end + size;
        sums[at]++;
        while (at > 1) {
          if (at % 2 === 0) crossings += sums[at + 1];
          at >>= 1;
          sums[at]++;
        }
      }
    }
  }
  return crossings;
}

/** Exchange neighbours in a layer as long as that removes crossings. */
function switchNeighbours(layers, down, up, place) {
  for (let round = 0; round < 10; round++) {
    let isBetter = false;
    for (const level of layers) {
      for (let i = 0; i + 1 < level.length; i++) {
        const v = level[i], w = level[i + 1];
        let gain = 0;
        for (const neighbours of [up, down]) gain += pairCrossings(neighbours[v], neighbours[w], place);
        if (gain > 0) {
          level[i] = w;
          level[i + 1] = v;
          place[w] = i;
          place[v] = i + 1;
          isBetter = true;
        }
      }
    }
    if (!isBetter) return;
  }
}

/** Return the crossings with v before w, less those with w before v. */
function pairCrossings(ofV, ofW, place) {
  let difference = 0;
  for (const a of ofV) for (const b of ofW) difference += Math.sign(place[a] - place[b]);
  return difference;
}
