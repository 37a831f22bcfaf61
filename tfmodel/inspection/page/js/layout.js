// Lay out the open entries, children before parents: each is a layered drawing of its children, and its size is that of
// a box in the drawing of its parent. Edges that leave an open entry go through ports on its frame.

const GAP = 22, LAYER_GAP = 34, DUMMY_GAP = 12, MARGIN = 14, TITLE = 26, PORT = 6, PORT_GAP = 4;
const BOX_HEIGHTS = [0, 28, 40, 56];  // by the number of lines
const MAX_PORTS = 12;
const HUB_DEGREE = 8, HUB_CONTROLS = 4;

/** Return the x of children in the scene that is shown now, if their scope is open there; else null. */
function oldOrder(entry, children) {
  const frame = scene && scene.byEntry.get(entry);
  if (!frame || !state.open.has(entry) || scene.frames.every((other) => other.entry !== entry)) return null;
  return children.map((child) => {
    const box = scene.byEntry.get(child);
    return box && !box.isAside ? box.x + box.w / 2 : undefined;
  });
}

/** Lay out a body with the open entries. Return { boxes, frames, edges, width, height } in one system of coordinates. */
function layoutScene(root, open, hidden = new Set(), aside = new Map()) {
  const hubs = hubsByEntry(root, open, hidden, aside);
  const ports = portsOf(root, open, hidden, hubs);
  const scene = { boxes: [], frames: [], edges: [], byEntry: new Map(), hubs: [] };
  const levels = new Map();
  const order = [];
  const pending = [root];
  while (pending.length) {
    const entry = pending.pop();
    order.push(entry);
    for (const child of tree.children[entry]) if (open.has(child) && !hidden.has(child)) pending.push(child);
  }
  for (let i = order.length - 1; i >= 0; i--) {
    levels.set(order[i], layoutLevel(order[i], ports.get(order[i]) || [], levels, hidden, hubs.get(order[i])));
  }
  place(root, 0, 0);
  const whole = levels.get(root);
  return Object.assign(scene, { width: whole.width, height: whole.height });

  /** Add an open entry, whose corner is at (x, y), to the scene. */
  function place(entry, x, y) {
    const level = levels.get(entry);
    const frame = { entry, x, y, w: level.width, h: level.height };
    scene.frames.push(frame);
    scene.byEntry.set(entry, frame);
    for (const box of level.boxes) {
      if (levels.has(box.entry)) place(box.entry, x + box.x, y + box.y);
      else {
        const placed = { ...box, x: x + box.x, y: y + box.y };
        scene.boxes.push(placed);
        scene.byEntry.set(box.entry, placed);
      }
    }
    for (const edge of level.edges) {
      scene.edges.push({ ...edge, level: entry, points: edge.points.map(([px, py]) => [x + px, y + py]) });
    }
  }
}

/** Return the ports of open entries: for each neighbour outside, and the children inside that it is linked with. */
function portsOf(root, open, hidden, hubs) {
  const ports = new Map();
  const pending = [root];
  while (pending.length) {
    const entry = pending.pop();
    for (const link of linksOf(entry)) {
      const isAside = (e) => hidden.has(e) || hubs.get(entry).has(e);
      if (isAside(link.from) || isAside(link.to)) continue;
      if (open.has(link.from)) descend(link.from, link, link.to, false);
      if (open.has(link.to)) descend(link.to, link, link.from, true);
    }
    for (const child of tree.children[entry]) if (open.has(child) && !hidden.has(child)) pending.push(child);
  }
  return ports;

  function descend(entry, link, other, isInput) {
    for (const edge of link.edges) {
      const end = innerEnd(tree.entryOf[isInput ? model.to[edge] : model.from[edge]], edge, isInput);
      const path = [];
      for (let e = end; e !== entry; e = tree.up[e]) path.push(e);
      for (let outer = entry; path.length && open.has(outer); outer = path.pop()) {
        const child = path[path.length - 1];
        if (hidden.has(child) || hubs.get(outer).has(child)) break;
        const list = ports.get(outer) || ports.set(outer, []).get(outer);
        list.push({ child, other, isInput, control: link.control, edge });
      }
    }
  }
}

/** Return the argument or result of an open function that an edge of its call stands for; the call itself if unknown. */
function innerEnd(call, edge, isInput) {
  const body = model.bodies[tree.inside.get(call)];
  if (!body || model.port[edge] < 0) return call;
  const node = model.node[call];
  let inner;
  if (isInput) {
    const place = edge - model.first[node] - (model.first_arguments[opOf(node)] || 0);  // control inputs come last
    inner = body.start + body.real + place;
    if (place < 0 || model.bodyOf[inner] !== tree.inside.get(call) || opOf(inner) !== "(argument)") return call;
  } else inner = body.results[portOf(edge)];
  return tree.entryOf[inner] ?? call;
}

/** Return the size of the box of a closed entry or a node. */
function boxSize(entry) {
  const lines = boxLines(entry);
  let width = 64;
  lines.forEach((line, i) => { width = Math.max(width, textWidth(line, i ? 10.5 : 12, i === 0) + 26); });
  return [Math.min(260, Math.ceil(width / 4) * 4), BOX_HEIGHTS[isLeaf(entry) ? lines.length : 3]];
}

/** Return the children that are linked with too many others, which stand aside without edges. */
function hubsOf(children, links, aside) {
  const linked = new Map(children.map((child) => [child, new Set()]));
  const controls = new Map(), data = new Set();
  for (const { from, to, control, edges } of links) {
    if (!linked.has(from) || !linked.has(to)) continue;
    linked.get(from).add(to);
    linked.get(to).add(from);
    if (control) for (const end of [from, to]) controls.set(end, (controls.get(end) || 0) + edges.length);
    else data.add(from).add(to);
  }
  const most = Math.max(HUB_DEGREE, children.length / 4);
  const hubs = new Set();
  const sorted = [...linked].sort((a, b) => b[1].size - a[1].size);
  for (const [child, others] of sorted) {
    const degree = [...others].filter((other) => !hubs.has(other)).length;
    const isControl = (controls.get(child) || 0) > HUB_CONTROLS && (degree > HUB_CONTROLS || !data.has(child));
    const isMain = isLeaf(child) ? model.calls.has(model.node[child])
      : tree.needed[child] * 10 > tree.needed[tree.up[child]] || familyRank(opsIn(child)[0]?.[0] || "") === 0;
    if (aside.get(child) ?? (isAuxiliary(child) || (!isMain && (degree > most || isControl)))) hubs.add(child);
  }
  return hubs;
}

/** Return whether an entry is not part of what the outputs compute, or only holds values: it stands aside at first. */
function isAuxiliary(entry) {
  return model.kind[entry] === GROUP || (isLeaf(entry) && opOf(model.node[entry]) === "NoOp") || (tree.needed[entry] === 0 && tree.needed[tree.up[entry]] > 0);
}

/** Return the children that stand aside, for all open entries. */
function hubsByEntry(root, open, hidden, aside) {
  const hubs = new Map();
  const pending = [root];
  while (pending.length) {
    const entry = pending.pop();
    const children = tree.children[entry].filter((child) => !hidden.has(child));
    hubs.set(entry, hubsOf(children, linksOf(entry), aside));
    for (const child of children) if (open.has(child)) pending.push(child);
  }
  return hubs;
}

/** Lay out the children of one open entry. Coordinates are those within its frame. */
function layoutLevel(entry, ports, levels, hidden, hubs) {
  const all = tree.children[entry].filter((child) => !hidden.has(child));
  const links = linksOf(entry);
  const linked = new Set(ports.map((port) => port.child));
  for (const { from, to } of links) {
    if (hubs.has(from) || hubs.has(to) || hidden.has(from) || hidden.has(to)) continue;
    linked.add(from).add(to);
  }
  const unlinked = all.filter((child) => !hubs.has(child) && !linked.has(child));
  const loose = unlinked.length > 3 ? unlinked : [];  // in a grid beside the others, not in one long layer
  const besides = new Set([...hubs, ...loose]);
  const children = all.filter((child) => !besides.has(child));
  const number = new Map(children.map((child, i) => [child, i]));
  const sizes = children.map((child) => (levels.has(child) ? [levels.get(child).width, levels.get(child).height] : boxSize(child)));
  const edges = [], facts = [];
  for (const link of links) {
    if (!number.has(link.from) || !number.has(link.to)) continue;
    edges.push([number.get(link.from), number.get(link.to)]);
    facts.push(link);
  }
  const first = new Map(), last = new Map();
  addPorts(ports, number, sizes, edges, facts, first, last);
  const drawing = layoutLayers(sizes, edges, new Set(first.values()), new Set(last.values()), portShift, oldOrder(entry, children));
  const hubColumn = placeBeside([...besides], drawing, levels);
  const inset = MARGIN;
  const top = first.size ? PORT_GAP : tree.up[entry] < 0 ? MARGIN : TITLE;
  const height = Math.max(drawing.height + (last.size ? PORT_GAP : MARGIN), hubColumn.height + MARGIN) + top;
  const boxes = children.map((child, i) => ({
    entry: child, x: drawing.x[i] + inset, y: drawing.y[i] + top, w: sizes[i][0], h: sizes[i][1],
  }));
  for (const hub of hubColumn.boxes) boxes.push({ ...hub, isAside: true, x: hub.x + inset, y: hub.y + top, isHub: hubs.has(hub.entry) && !isAuxiliary(hub.entry) });
  const shifted = drawing.lines.map((line, i) => {
    const fact = facts[i], points = line.map(([x, y]) => [x + inset, y + top]);
    if (fact.isPort && fact.isInput) points.unshift([points[0][0], 0]);
    else if (fact.isPort) points.push([points[points.length - 1][0], height]);
    return { ...fact, points, goesOn: (fact.isPort && !fact.isInput) || portShift(i, false) !== null };
  });
  const portX = new Map();
  for (const [key, v] of first) portX.set(`i${key}`, drawing.x[v] + sizes[v][0] / 2 + inset);
  for (const [key, v] of last) portX.set(`o${key}`, drawing.x[v] + sizes[v][0] / 2 + inset);
  const width = Math.max(hubColumn.width, 40, textWidth(frameTitle(entry), 12, true)) + 2 * inset;
  return { boxes, edges: shifted, width, height, portX };

  /** Return where an edge meets the frame of an open child: at the port for the neighbour, from the child's centre. */
  function portShift(edge, isStart) {
    const link = facts[edge];
    const child = isStart ? link.from : link.to;
    const level = levels.get(child);
    if (!level) return null;
    const other = isStart ? link.to : link.from;
    const x = level.portX.get((isStart ? "o" : "i") + other) ?? level.portX.get(isStart ? "o*" : "i*");
    return x === undefined ? null : x - level.width / 2;
  }
}

/** Add a vertex for each port, with an edge to the children behind it. Many ports of a side are joined to one. */
function addPorts(ports, number, sizes, edges, facts, first, last) {
  for (const isInput of [true, false]) {
    const all = ports.filter((port) => port.isInput === isInput && number.has(port.child));
    const controls = new Map();
    for (const port of all) if (port.control) controls.set(port.other, (controls.get(port.other) || new Set()).add(port.child));
    // Many control edges to one neighbour outside would pull the whole drawing towards it, and say little.
    const side = all.filter((port) => !port.control || controls.get(port.other).size <= HUB_CONTROLS);
    const keys = new Set(side.map((port) => port.other));
    const vertices = isInput ? first : last;
    const seen = new Map();
    for (const port of side) {
      const key = keys.size > MAX_PORTS ? "*" : port.other;
      if (!vertices.has(key)) {
        vertices.set(key, sizes.length);
        sizes.push([PORT, 0]);
      }
      const id = `${key} ${port.child} ${port.control}`;
      if (seen.has(id)) {
        seen.get(id).edges.push(port.edge);
        continue;
      }
      const outside = key === "*" ? -1 : port.other;
      const ends = isInput ? [vertices.get(key), number.get(port.child)] : [number.get(port.child), vertices.get(key)];
      const fact = {
        from: isInput ? outside : port.child, to: isInput ? port.child : outside,
        control: port.control, edges: [port.edge], isPort: true, isInput,
      };
      seen.set(id, fact);
      edges.push(ends);
      facts.push(fact);
    }
  }
}

/** Place boxes without edges in columns on the right of a drawing. */
function placeBeside(entries, drawing, levels) {
  const sizes = entries.map((entry) => (levels.has(entry) ? [levels.get(entry).width, levels.get(entry).height] : boxSize(entry)));
  const area = sizes.reduce((sum, [w, h]) => sum + (w + 20) * (h + 14), 0);
  const limit = Math.max(drawing.height, 240, Math.sqrt(area * 0.7));
  let x = drawing.width + (drawing.width ? 40 : 0), y = 0, width = drawing.width, height = 0, column = 0;
  const boxes = entries.map((entry, i) => {
    const [w, h] = sizes[i];
    if (y && y + h > limit) {
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
  return { boxes, width, height };
}

/** Return a place for each vertex of a new drawing, from the places of boxes in the old one. */
function oldPlaces({ paths, down, up, total }, old) {
  const places = new Float64Array(total).fill(NaN);
  old.forEach((x, v) => { places[v] = x ?? NaN; });
  for (const path of paths) {
    const a = places[path[0]], b = places[path[path.length - 1]];
    for (let k = 1; k < path.length - 1; k++) places[path[k]] = Number.isNaN(a) ? b : Number.isNaN(b) ? a : a + ((b - a) * k) / (path.length - 1);
  }
  return places.map((x, v) => {
    if (!Number.isNaN(x)) return x;
    const around = [...down[v], ...up[v]].map((w) => places[w]).filter((y) => !Number.isNaN(y));
    return around.reduce((sum, y) => sum + y, 0) / (around.length || 1);
  });
}

/** The layered layout. Return corners of boxes, and points of edges: pairs of an end and the points between.
 *
 * `portShift` tells where an edge meets an open scope; `old` has the x of boxes of an earlier drawing, whose order is kept.
 */
function layoutLayers(sizes, given, first, last, portShift = () => null, old = null) {
  const count = sizes.length;
  if (!count) return { x: [], y: [], lines: [], width: 0, height: 0 };
  const isLoop = ([a, b]) => a === b;
  const edges = withoutCycles(count, given.filter((edge) => !isLoop(edge)));
  const layer = layersOf(count, edges, first, last);
  const graph = withDummies(count, edges, layer);
  const isTurned = [], kept = [];  // by the number of the edge among those that are no loops
  given.forEach((edge, i) => {
    if (isLoop(edge)) return;
    isTurned.push(edges[kept.length][0] !== edge[0]);
    kept.push(i);
  });
  graph.shifts = shiftsOf(graph.paths);
  const order = orderLayers(graph, old && oldPlaces(graph, old));
  const width = new Float64Array(graph.total);
  for (let v = 0; v < count; v++) width[v] = sizes[v][0];
  const gap = (v, w) => (v >= count || w >= count ? DUMMY_GAP : GAP);
  const centre = xCoordinates(graph, count, order, width, gap);
  let low = Infinity, high = -Infinity;
  for (let v = 0; v < graph.total; v++) {
    low = Math.min(low, centre[v] - width[v] / 2);
    high = Math.max(high, centre[v] + width[v] / 2);
  }
  const top = [], heights = [];
  let y = 0;
  for (const level of graph.layers) {
    const tallest = Math.max(0, ...level.map((v) => (v < count ? sizes[v][1] : 0)));
    top.push(y);
    heights.push(tallest);
    y += tallest + LAYER_GAP;
  }
  const x = sizes.map((size, v) => centre[v] - low - size[0] / 2);
  const ys = sizes.map((size, v) => top[layer[v]] + (first.has(v) ? 0 : last.has(v) ? heights[layer[v]] : Math.min(14, (heights[layer[v]] - size[1]) / 2)));
  const lines = [];
  let next = 0;
  given.forEach((edge, i) => {
    if (isLoop(edge)) {
      lines.push([]);
      return;
    }
    const path = graph.paths[next];
    const isReversed = isTurned[next++];
    lines.push(pointsOf(edge, path, isReversed, i));
  });
  return { x, y: ys, lines, width: high - low, height: Math.max(0, y - LAYER_GAP), crossings: countCrossings(graph.layers, graph.down, (v) => order[v]) };

  /** Return where links meet open scopes, as parts of their widths from the middle. */
  function shiftsOf(paths) {
    const shifts = new Map();
    paths.forEach((path, k) => {
      const end = path.length - 1;
      for (const [v, w, isStart] of [[path[0], path[1], !isTurned[k]], [path[end], path[end - 1], isTurned[k]]]) {
        const shift = portShift(kept[k], isStart);
        if (shift !== null) shifts.set(portKey(v, w), shift / (sizes[v][0] + 1));
      }
    });
    return shifts;
  }

  function pointsOf(edge, path, isReversed, i) {
    const [upper, lower] = isReversed ? [edge[1], edge[0]] : edge;
    const end = (v, isBottom, isStart) => [
      x[v] + sizes[v][0] / 2 + (portShift(i, isStart) ?? 0), ys[v] + (isBottom ? sizes[v][1] : 0),
    ];
    const start = end(upper, true, !isReversed), finish = end(lower, false, isReversed);
    const points = [start];
    // In the layer of a tall box an edge goes straight down, beside it.
    for (const v of path.slice(1, -1)) {
      const level = layerOfDummy(v);
      points.push([centre[v] - low, top[level]]);
      if (heights[level] > 1) points.push([centre[v] - low, top[level] + heights[level]]);
    }
    const [a, b] = [layer[upper], layer[lower]];
    if (start[1] < top[a] + heights[a]) points.splice(1, 0, [start[0], top[a] + heights[a]]);
    if (finish[1] > top[b]) points.push([finish[0], top[b]]);
    points.push(finish);
    return isReversed ? points.reverse() : points;
  }

  function layerOfDummy(v) {
    if (!graph.dummyLayer) {
      graph.dummyLayer = new Map();
      graph.layers.forEach((level, k) => level.forEach((u) => { if (u >= count) graph.dummyLayer.set(u, k); }));
    }
    return graph.dummyLayer.get(v);
  }
}
