// Lay out the open entries, children before parents: each is a layered drawing of its children, and its size is that of
// a box in the drawing of its parent. Edges that leave an open entry go through ports on its frame.

const GAP = 22, LAYER_GAP = 34, DUMMY_GAP = 12, MARGIN = 14, TITLE = 26, PORT = 6, PORT_GAP = 4;
const BOX_HEIGHTS = [0, 28, 42, 56];  // by the number of lines
const MAX_WIDTH = 280;  // of a box, and at least that of a level in a narrow window
const MAX_PORTS = 12;
const HUB = 1;  // of `model.aside`: linked with too many others
const MAX_CONTROLS = 4;

const shownChildren = (entry) => tree.children[entry].filter((child) => !state.hidden.has(child));

/** Lay out the open entries. Return { boxes, frames, edges, byEntry, width, height } in one system of coordinates. */
function layoutScene() {
  const root = rootOf(state.body), order = [root];
  for (const entry of order) order.push(...shownChildren(entry).filter((child) => isOpen(child)));
  const hubs = new Map(order.map((entry) => [entry, hubsOf(entry)]));
  const ports = portsOf(order, hubs);
  const levels = new Map();
  for (const entry of order.reverse()) levels.set(entry, layoutLevel(entry, ports.get(entry) || [], levels, hubs.get(entry)));
  const { width, height } = levels.get(root);
  const result = { boxes: [], frames: [], edges: [], byEntry: new Map(), width, height };
  place({ entry: root, x: 0, y: 0, w: width, h: height });
  return result;

  /** Add a box, with what is inside if it is open. */
  function place(box) {
    const level = levels.get(box.entry);
    result.byEntry.set(box.entry, box);
    (level ? result.frames : result.boxes).push(box);
    for (const inner of level?.boxes || []) place({ ...inner, x: box.x + inner.x, y: box.y + inner.y });
    for (const edge of level?.edges || []) {
      result.edges.push({ ...edge, level: box.entry, points: edge.points.map(([x, y]) => [box.x + x, box.y + y]) });
    }
  }
}

/** Return the ports of open entries: for each neighbour outside, and the children inside that it is linked with. */
function portsOf(order, hubs) {
  const ports = new Map();
  for (const entry of order) {
    for (const link of linksOf(entry)) {
      if (isAside(entry, link.from) || isAside(entry, link.to)) continue;
      if (isOpen(link.from)) descend(link.from, link, link.to, false);
      if (isOpen(link.to)) descend(link.to, link, link.from, true);
    }
  }
  return ports;

  function isAside(entry, child) {
    return state.hidden.has(child) || hubs.get(entry).has(child);
  }

  function descend(entry, { control, edges }, other, isInput) {
    for (const edge of edges) {
      const path = [];
      for (let e = innerEnd(tree.entryOf[isInput ? model.to[edge] : model.from[edge]], edge, isInput); e !== entry; e = tree.up[e]) path.push(e);
      for (let outer = entry; path.length && isOpen(outer); outer = path.pop()) {
        const child = path.at(-1);
        if (isAside(outer, child)) break;
        addTo(ports, outer, { child, other, isInput, control, edge });
      }
    }
  }
}

/** Return the argument or result of an open function that an edge of its call stands for; the call itself if unknown. */
function innerEnd(call, edge, isInput) {
  const number = tree.inside.get(call), body = model.bodies[number];
  if (!body || isControl(edge)) return call;
  const node = model.node[call];
  let inner;
  if (isInput) {
    const place = edge - model.first[node] - (model.first_arguments[opOf(node)] || 0);  // control inputs come last
    inner = body.start + body.real + place;
    if (place < 0 || model.bodyOf[inner] !== number || opOf(inner) !== "(argument)") return call;
  } else inner = body.results[model.port[edge]];
  return tree.entryOf[inner] ?? call;
}

/** Return the size of the box of a closed entry or a node. */
function boxSize(entry) {
  const lines = boxLines(entry), besides = (i) => (i || isLeaf(entry) ? 26 : 26 + SIGN);
  const width = Math.max(64, ...lines.map((line, i) => textWidth(line, i ? LINE_FONT : TITLE_FONT) + besides(i)));
  return [Math.min(MAX_WIDTH, Math.ceil(width / 4) * 4), BOX_HEIGHTS[isLeaf(entry) ? lines.length : 3]];
}

/** Return the children that stand aside without edges: those that boxes.py sets aside, if the user has not put them back. */
function hubsOf(entry) {
  return new Set(shownChildren(entry).filter((child) => state.aside.get(child) ?? model.aside[child]));
}

/** Lay out the children of one open entry. Coordinates are those within its frame. */
function layoutLevel(entry, ports, levels, hubs) {
  const all = shownChildren(entry), isShown = new Set(all.filter((child) => !hubs.has(child)));
  const facts = linksOf(entry).filter(({ from, to }) => isShown.has(from) && isShown.has(to));
  const linked = new Set([...facts.flatMap(({ from, to }) => [from, to]), ...ports.map((port) => port.child)]);
  const unlinked = [...isShown].filter((child) => !linked.has(child));
  const besides = [...hubs, ...(unlinked.length > 3 ? unlinked : [])];  // in a grid beside the others, not in one long layer
  const children = all.filter((child) => !besides.includes(child));
  const number = new Map(children.map((child, i) => [child, i]));
  const sizeOf = (child) => (levels.has(child) ? [levels.get(child).width, levels.get(child).height] : boxSize(child));
  const sizes = children.map(sizeOf);
  const edges = facts.map(({ from, to }) => [number.get(from), number.get(to)]);
  const first = new Map(), last = new Map();
  addPorts(ports, number, sizes, edges, facts, first, last);
  const rims = [new Set(first.values()), new Set(last.values())], old = oldOrder(entry, children);
  const limit = Math.max(MAX_WIDTH, roomAt(READABLE).w - 2 * MARGIN * pathTo(entry).length);
  let drawing = layoutLayers(sizes, edges, ...rims, portShift, old);
  if (drawing.width > limit && children.some((child) => !levels.has(child))) {
    drawing = layoutLayers(sizes, edges, ...rims, portShift, old, limit, children.map((child) => boxSize(child)[0]));
  }
  const column = placeBeside(besides, besides.map(sizeOf), drawing, limit);
  const top = first.size ? PORT_GAP : tree.up[entry] < 0 ? MARGIN : TITLE;
  const height = Math.max(drawing.height + (last.size ? PORT_GAP : MARGIN), column.height + MARGIN) + top;
  const width = Math.max(column.width, 40, textWidth(frameTitle(entry), TITLE_FONT) + SIGN) + 2 * MARGIN;
  const moved = ([x, y]) => [x + MARGIN, y + top];
  const boxes = children.map((child, i) => ({ entry: child, x: drawing.x[i] + MARGIN, y: drawing.y[i] + top, w: sizes[i][0], h: sizes[i][1] }));
  for (const box of column.boxes) {
    boxes.push({ ...box, x: box.x + MARGIN, y: box.y + top, isAside: true, isHub: model.aside[box.entry] === HUB && hubs.has(box.entry) });
  }
  const lines = drawing.lines.map((line, i) => {
    const fact = facts[i], points = line.map(moved), isOutput = fact.isPort && !fact.isInput;
    if (isOutput) points.push([points.at(-1)[0], height]);
    else if (fact.isPort) points.unshift([points[0][0], 0]);
    return { ...fact, points, goesOn: isOutput || portShift(i, false) !== null };
  });
  const portX = (vertices) => new Map([...vertices].map(([key, v]) => [key, drawing.x[v] + sizes[v][0] / 2 + MARGIN]));
  return { boxes, edges: lines, width, height, inputX: portX(first), outputX: portX(last) };

  /** Return where an edge meets the frame of an open child: at the port for the neighbour, from the child's centre. */
  function portShift(edge, isStart) {
    const { from, to } = facts[edge];
    const level = levels.get(isStart ? from : to), xs = level && (isStart ? level.outputX : level.inputX);
    const x = xs && (xs.get(isStart ? to : from) ?? xs.get("*"));
    return x === undefined ? null : x - level.width / 2;
  }
}

/** Return the x of children in the scene that is shown now, if their scope is open there; else null. */
function oldOrder(entry, children) {
  if (!isOpen(entry) || !scene?.frames.some((frame) => frame.entry === entry)) return null;
  return children.map((child) => {
    const box = boxOf(child);
    return box && !box.isAside ? box.x + box.w / 2 : NaN;
  });
}

/** Add a vertex for each port, with an edge to the children behind it. Many ports of a side are joined to one. */
function addPorts(ports, number, sizes, edges, facts, first, last) {
  for (const isInput of [true, false]) {
    const all = ports.filter((port) => port.isInput === isInput && number.has(port.child));
    const controlled = new Map();
    for (const { control, other, child } of all) if (control) controlled.set(other, (controlled.get(other) || new Set()).add(child));
    // Many control edges to one neighbour outside would pull the whole drawing towards it, and say little.
    const side = all.filter(({ control, other }) => !control || controlled.get(other).size <= MAX_CONTROLS);
    const isJoined = new Set(side.map((port) => port.other)).size > MAX_PORTS;
    const vertices = isInput ? first : last, seen = new Map();
    for (const { child, other, control, edge } of side) {
      const key = isJoined ? "*" : other, id = `${key} ${child} ${control}`;
      if (!vertices.has(key)) vertices.set(key, sizes.push([PORT, 0]) - 1);
      if (!seen.has(id)) {
        const ends = [vertices.get(key), number.get(child)], [from, to] = [isJoined ? -1 : other, child];
        seen.set(id, { ...(isInput ? { from, to } : { from: to, to: from }), control, edges: [], isPort: true, isInput });
        edges.push(isInput ? ends : ends.reverse());
        facts.push(seen.get(id));
      }
      seen.get(id).edges.push(edge);
    }
  }
}

/** Place boxes without edges in columns on the right of a drawing; below it if the window is too narrow for the whole. */
function placeBeside(entries, sizes, drawing, limit) {
  const widest = Math.max(0, ...sizes.map(([w]) => w));
  if (entries.length && drawing.width + 40 + widest > limit) return placeBelow(entries, sizes, drawing, limit);
  const area = sum(sizes.map(([w, h]) => (w + 20) * (h + 14)));
  const most = Math.max(drawing.height, 240, Math.sqrt(area * 0.7));
  let { width } = drawing, x = width + (width ? 40 : 0), y = 0, height = 0, column = 0;
  const boxes = entries.map((entry, i) => {
    const [w, h] = sizes[i];
    if (y && y + h > most) {
      x += column + 20;
      y = column = 0;
    }
    const box = { entry, x, y, w, h };
    y += h + 14;
    column = Math.max(column, w);
    width = Math.max(width, x + w);
    height = Math.max(height, y - 14);
    return box;
  });
  return width > limit && entries.length ? placeBelow(entries, sizes, drawing, limit) : { boxes, width, height };
}

/** Place boxes without edges in rows below a drawing. */
function placeBelow(entries, sizes, drawing, limit) {
  const most = Math.max(drawing.width, limit);
  let { width, height } = drawing, x = 0, y = height + LAYER_GAP, row = 0;
  const boxes = entries.map((entry, i) => {
    const [w, h] = sizes[i];
    if (x && x + w > most) {
      y += row + 14;
      x = row = 0;
    }
    const box = { entry, x, y, w, h };
    x += w + 20;
    row = Math.max(row, h);
    width = Math.max(width, x - 20);
    height = y + row;
    return box;
  });
  return { boxes, width, height };
}

/** Return a place for each vertex of a new drawing, from the places of boxes in the old one; NaN there for new boxes. */
function oldPlaces({ paths, down, up, total }, old) {
  const places = new Float64Array(total).fill(NaN);
  places.set(old);
  for (const path of paths) {
    const end = path.length - 1, a = places[path[0]], b = places[path[end]];
    for (let k = 1; k < end; k++) places[path[k]] = Number.isNaN(a) ? b : Number.isNaN(b) ? a : a + ((b - a) * k) / end;
  }
  return places.map((x, v) => {
    const around = [...down[v], ...up[v]].map((w) => places[w]).filter((y) => !Number.isNaN(y));
    return Number.isNaN(x) ? sum(around) / (around.length || 1) : x;
  });
}

/** The layered layout. Return corners of boxes, and points of edges: pairs of an end and the points between.
 *
 * `portShift` tells where an edge meets an open scope; `old` has the x of boxes of an earlier drawing, whose order is kept.
 * Layers that would be wider than a limit are broken. Boxes count with `widths`: as if all scopes were closed, so that
 * one that opens leaves the others where they are.
 */
function layoutLayers(sizes, given, first, last, portShift = () => null, old = null, limit = Infinity, widths = []) {
  const count = sizes.length;
  if (!count) return { x: [], y: [], lines: [], width: 0, height: 0 };
  const kept = [...given.keys()].filter((i) => given[i][0] !== given[i][1]);  // loops have no lines
  const edges = withoutCycles(count, kept.map((i) => given[i]));
  const isTurned = kept.map((i, k) => edges[k][0] !== given[i][0]);
  const whole = layersOf(count, edges, first, last);
  const layer = limit < Infinity ? brokenLayers(whole, widths, edges, limit) : whole;
  const graph = withDummies(count, edges, layer);
  graph.shifts = shiftsOf(graph.paths);
  const order = orderLayers(graph, old && oldPlaces(graph, old));
  const width = new Float64Array(graph.total);
  width.set(sizes.map((size) => size[0]));
  const gaps = graph.layers.map((level) => {
    const passing = level.filter((v) => v >= count).length;
    return Math.max(0, Math.min(DUMMY_GAP, (limit + GAP - sum(level.map((v) => (v < count ? width[v] + GAP : 0)))) / passing));
  });
  const gap = (v, w) => (v >= count || w >= count ? gaps[graph.layerOf[v]] : GAP);
  const centre = xCoordinates(graph, count, order, width, gap);
  if (limit < Infinity) squeeze(centre, graph.layers, width, gap, limit);
  const { low, high } = extent(centre, width);
  const heights = graph.layers.map((level) => Math.max(0, ...level.map((v) => (v < count ? sizes[v][1] : 0))));
  const tops = heights.map((_, i) => sum(heights.slice(0, i)) + i * LAYER_GAP);
  const x = sizes.map((size, v) => centre[v] - low - size[0] / 2);
  const y = sizes.map((size, v) => {
    const rest = heights[layer[v]] - size[1];
    return tops[layer[v]] + (first.has(v) ? 0 : last.has(v) ? rest : Math.min(14, rest / 2));
  });
  const lines = given.map(() => []);
  kept.forEach((i, k) => { lines[i] = pointsOf(graph.paths[k], isTurned[k], i); });
  const crossings = countCrossings(graph.layers, graph.down, (v) => order[v]);
  return { x, y, lines, width: high - low, height: tops.at(-1) + heights.at(-1), crossings };

  /** Return where links meet open scopes, as parts of their widths from the middle. */
  function shiftsOf(paths) {
    const shifts = new Map();
    paths.forEach((path, k) => {
      for (const [v, w, isStart] of [[path[0], path[1], !isTurned[k]], [path.at(-1), path.at(-2), isTurned[k]]]) {
        const shift = portShift(kept[k], isStart);
        if (shift !== null) shifts.set(linkKey(v, w), shift / (sizes[v][0] + 1));
      }
    });
    return shifts;
  }

  function pointsOf(path, isReversed, i) {
    const upper = path[0], lower = path.at(-1);
    const startX = x[upper] + sizes[upper][0] / 2 + (portShift(i, !isReversed) ?? 0);
    const endX = x[lower] + sizes[lower][0] / 2 + (portShift(i, isReversed) ?? 0);
    const bottom = y[upper] + sizes[upper][1], layerBottom = tops[layer[upper]] + heights[layer[upper]];
    const points = [[startX, bottom]];
    if (bottom < layerBottom) points.push([startX, layerBottom]);
    // In the layer of a tall box an edge goes straight down, beside it.
    for (const v of path.slice(1, -1)) {
      const level = graph.layerOf[v];
      points.push([centre[v] - low, tops[level]]);
      if (heights[level] > 1) points.push([centre[v] - low, tops[level] + heights[level]]);
    }
    if (y[lower] > tops[layer[lower]]) points.push([endX, tops[layer[lower]]]);
    points.push([endX, y[lower]]);
    return isReversed ? points.reverse() : points;
  }
}
