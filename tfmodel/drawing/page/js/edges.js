// Edges: their lines and labels, the paths of what is selected, and the edge under the pointer.

const digits = (number) => String(Math.round(number * 10) / 10);

function boundsOf(edge) {
  if (!edge.bounds) {
    const xs = edge.points.map((p) => p[0]), ys = edge.points.map((p) => p[1]);
    const x = Math.min(...xs) - 2, y = Math.min(...ys) - 2;
    edge.bounds = { x, y, w: Math.max(...xs) - x + 2, h: Math.max(...ys) - y + 2 };
  }
  return edge.bounds;
}

// --- paths -------------------------------------------------------------------------------------------------------------

/** The nodes that what is selected needs, and those that need it, as flags; null if nothing is selected. */
function selectedPaths() {
  const key = `${state.selected} ${state.node} ${[...tree.inside.keys()]}`;
  if (selectedPaths.of !== key) {
    const starts = state.selected < 0 ? [] : state.node >= 0 ? [state.node] : nodesIn(state.selected, 100000);
    const paths = starts.length ? { start: flags(model.count), before: pathsFrom(starts, true), after: pathsFrom(starts, false) } : null;
    for (const node of starts) paths.start[node] = 1;
    Object.assign(selectedPaths, { of: key, paths, lit: null, count: 0 });
  }
  return selectedPaths.paths;
}

/** Return flags of the nodes upstream or downstream along tensors. Paths go into calls that are open, and out of them. */
function pathsFrom(starts, isUpstream) {
  const reached = flags(model.count), pending = starts.slice(), calls = new Map([...tree.inside].map(([call, body]) => [body, call]));
  const reach = (node) => {
    if (node === undefined || node < 0 || reached[node]) return;
    reached[node] = 1;
    pending.push(node);
  };
  while (pending.length) {
    const node = pending.pop(), body = model.bodyOf[node], call = calls.get(body), inside = tree.inside.get(tree.entryOf[node]);
    for (const edge of isUpstream ? edgesTo(node) : edgesFrom(node)) if (!isControl(edge)) reach(isUpstream ? model.from[edge] : model.to[edge]);
    if (call !== undefined && opOf(node) === (isUpstream ? "(argument)" : "(result)")) reach(model.node[call]);
    if (inside !== undefined && model.node[tree.entryOf[node]] === node) {
      const { inputs, outputs } = endsOf(inside);
      for (const end of isUpstream ? outputs : inputs) reach(end);
    }
  }
  return reached;
}

/** Return the entries in the picture on a path of what is selected; null if nothing else is. */
function litEntries() {
  const paths = selectedPaths();
  if (!paths) return null;
  if (!selectedPaths.lit || selectedPaths.scene !== scene) {
    const lit = new Set([state.selected]);
    const add = (node) => {
      for (let e = tree.entryOf[node]; e >= 0 && !lit.has(e); e = tree.up[e]) lit.add(e);
    };
    for (let i = 0; i < model.count; i++) if (paths.before[i] || paths.after[i]) add(i);
    const count = scene.boxes.filter((box) => lit.has(box.entry)).length;
    for (const box of scene.boxes) if (pathTo(box.entry).includes(state.selected)) lit.add(box.entry);
    Object.assign(selectedPaths, { lit, scene, isAlone: count < 2 });
  }
  return selectedPaths.isAlone ? null : selectedPaths.lit;
}

/** Return 1 if an edge is on a path to what is selected, 2 if it is on a path from there, else 0. */
function edgeSide(edge) {
  const paths = selectedPaths();
  if (!paths) return 0;
  if (edge.sideOf !== selectedPaths.of) {
    const { start, before, after } = paths;
    const sideOf = (from, to) => (before[from] && (before[to] || start[to]) ? 1 : after[to] && (after[from] || start[from]) ? 2 : 0);
    edge.side = edge.edges.slice(0, 200).map((one) => (isControl(one) ? directSide(one, start) : sideOf(model.from[one], model.to[one]))).find(Boolean) || 0;
    edge.sideOf = selectedPaths.of;
  }
  return edge.side;
}

/** Control edges are marked only at what is selected. */
const directSide = (edge, start) => (start[model.to[edge]] ? 1 : start[model.from[edge]] ? 2 : 0);

const isDirect = ({ from, to }) => from === state.selected || to === state.selected;

// --- lines -------------------------------------------------------------------------------------------------------------

function paintEdge(painter, edge, scale) {
  const { points, control } = edge;
  if (points.length < 2) return;
  const side = edgeSide(edge), isPointed = edge === pointed, stroke = isPointed ? palette.accent : [palette.edge, palette.before, palette.after][side];
  edge.width ??= control ? 1 : Math.min(4, 1 + Math.log2(tensorsOf(edge).length) * 0.5);
  const opacity = (side ? 1 : litEntries() ? 0.2 : control ? 0.7 : 1) * (side || scale >= READABLE ? 1 : Math.max(0.3, scale / READABLE));
  const dash = side === 2 ? "9 4" : control ? "3 4" : "";
  const steps = scale < CURVES_FROM ? `M${points.join("L")}` : (edge.curve ??= curveThrough(points));
  painter.path(steps, { fill: "none", stroke, "stroke-width": (isPointed ? 3 : side ? (isDirect(edge) ? 2.4 : 1.6) : 1) * edge.width, "stroke-dasharray": dash, opacity });
  if (scale < CURVES_FROM || edge.goesOn) return;
  const [x, y] = points.at(-1), back = y >= points.at(-2)[1] ? -7 : 7;
  painter.path(`M${digits(x)} ${digits(y)}l-3.5 ${back}h7z`, { fill: stroke, opacity });
}

/** Return how far the tangents of an edge reach between a point and the one before; 0 where it is straight. */
function bendOf(points, i) {
  const [[x, y], [u, v]] = [points[i - 1], points[i]];
  return Math.abs(x - u) < 0.5 ? 0 : (v - y) * 0.5 || 10;
}

/** Return the path of a spline through all points with vertical tangents. */
function curveThrough(points) {
  const steps = points.map(([u, v], i) => {
    if (!i) return ["M", u, v];
    const [x, y] = points[i - 1], bend = bendOf(points, i);
    return bend ? ["C", x, y + bend, u, v - bend, u, v] : ["L", u, v];
  });
  return steps.map(([letter, ...numbers]) => letter + numbers.map(digits).join(" ")).join("");
}

// --- labels ------------------------------------------------------------------------------------------------------------

/** Write the shape of the tensor on an edge, where there is room. A node has the shape of its first output in its box. */
function paintEdgeLabel(painter, edge, taken) {
  if (edge.control || edge.points.length < 2 || edge.isPort || (isLeaf(edge.from) && edge.edges.every((one) => !model.port[one]))) return;
  const text = edgeText(edge.edges[0]), frame = boxOf(edge.level);
  if (!text || (litEntries() && !edgeSide(edge))) return;
  const label = edge.edges.length > 1 ? `${text} +${edge.edges.length - 1}` : text, w = textWidth(label, LABEL_FONT) + 2;
  const place = labelPlaces(edge.points, w)
    .find((area) => area.x > frame.x && area.x + w < frame.x + frame.w && !taken.some((other) => overlaps(other, area)));
  if (!place) return;
  taken.push(place);
  painter.rect(place.x, place.y, w, LABEL_HEIGHT, 2, { fill: frameColour(edge.level) });
  painter.text(label, place.x + 1, place.y + 11, LABEL_FONT, palette.soft);
}

const LABEL_HEIGHT = 14;

/** Return where a label can stand beside an edge: below its start, above its end, and beside its straight parts; at a bend,
 * on the side to which the edge does not turn.
 */
function labelPlaces(points, w) {
  const [[x, y], [u, v]] = points, [[a, b], [c, d]] = points.slice(-2), h = LABEL_HEIGHT;
  const beside = (place, top, turn) => {
    const right = { x: place + 4, y: top, w, h }, left = { x: place - w - 4, y: top, w, h };
    return turn > 1 ? [left] : turn < -1 ? [right] : [right, left];
  };
  const places = Math.abs(v - y) < 20 ? [] : Math.abs(u - x) < 30 ? [{ x: x + 4, y: y + 4, w, h }] : beside(x, y + 4, u - x);
  for (let i = 1; i < points.length; i++) {
    const [[left, top], [right, bottom]] = [points[i - 1], points[i]];
    if (Math.abs(left - right) < 1 && bottom - top > h + 4) places.push(...beside(left, (top + bottom) / 2 - h / 2, 0));
  }
  return d - b < 20 ? places : [...places, ...beside(c, d - h - 8, a - c)];
}

// --- the edge under the pointer ---------------------------------------------------------------------------------------

const NEAR = 6, TIP_TENSORS = 6;  // pixels; tensors that the note lists
const tip = byId("tip");
let pointed = null;  // the edge under the pointer

/** Return the points of an edge as it is drawn. */
function drawnPoints(edge) {
  edge.drawn ??= edge.points.flatMap(([u, v], i) => {
    if (!i) return [[u, v]];
    const [x, y] = edge.points[i - 1], bend = bendOf(edge.points, i);
    if (!bend) return [[u, v]];
    return Array.from({ length: 8 }, (_, k) => {
      const t = (k + 1) / 8, s = 1 - t;
      return [x * s ** 3 + 3 * x * s * s * t + 3 * u * s * t * t + u * t ** 3, y * s ** 3 + 3 * (y + bend) * s * s * t + 3 * (v - bend) * s * t * t + v * t ** 3];
    });
  });
  return edge.drawn;
}

/** Return the edge that is nearest to a place, if it is near. */
function edgeAt([x, y]) {
  const near = NEAR / state.camera.scale;
  let best = null, nearest = near;
  for (const edge of state.camera.scale < EDGES_FROM ? [] : scene.edges) {
    const area = boundsOf(edge);
    if (x < area.x - near || x > area.x + area.w + near || y < area.y - near || y > area.y + area.h + near) continue;
    const points = drawnPoints(edge);
    for (let i = 1; i < points.length; i++) {
      const [a, b] = points[i - 1], [c, d] = [points[i][0] - a, points[i][1] - b];
      const t = Math.max(0, Math.min(1, ((x - a) * c + (y - b) * d) / (c * c + d * d || 1)));
      const distance = Math.hypot(x - a - t * c, y - b - t * d);
      if (distance < nearest) [best, nearest] = [edge, distance];
    }
  }
  return best;
}

/** Return an edge of the graph for each tensor, or each node, that an edge of the picture comes from. */
const tensorsOf = (edge) => [...new Map(edge.edges.map((one) => [`${model.from[one]} ${model.port[one]}`, one])).values()];

/** Return the lines that say what an edge carries: tensors with their types and shapes, and both ends. */
function edgeLines(edge) {
  const tensors = tensorsOf(edge);
  const lines = tensors.slice(0, TIP_TENSORS).map((one) => {
    const name = shownName(model.from[one]), port = model.port[one] > 0 ? `:${model.port[one]}` : "";
    return edge.control ? `control: ${name}` : `${shortened(name, 80)}${port}  ${edgeText(one)}`;
  });
  if (tensors.length > TIP_TENSORS) lines.push(`and ${counted(tensors.length - TIP_TENSORS, "tensor")} more`);
  const [one] = edge.edges, others = edge.edges.length > 1 ? ` and ${grouped(edge.edges.length - 1)} more` : "";
  return [...lines, `from ${shortened(shownName(model.from[one]), 80)} to ${shortened(shownName(model.to[one]), 80)}${others}`];
}

/** Mark the edge under the pointer, and say what it carries beside the pointer. */
function pointAt(event) {
  const edge = event && boxAt(event, true) < 0 ? edgeAt(placeInScene(event)) : null;
  if (edge !== pointed) {
    pointed = edge;
    if (edge) tip.replaceChildren(...edgeLines(edge).map((line) => make("div.text", line)));
    requestDraw();
  }
  canvas.classList.toggle("sign", Boolean(event) && signAt(event) >= 0);
  tip.hidden = !edge;
  if (!edge) return;
  const { left, top, width, height } = canvas.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX - left + 14, width - tip.offsetWidth - 6))}px`;
  tip.style.top = `${Math.max(4, Math.min(event.clientY - top + 16, height - tip.offsetHeight - 6))}px`;
}
