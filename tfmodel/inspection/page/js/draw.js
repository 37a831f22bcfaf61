// Draw the scene on the canvas, with less detail at smaller scales, and only what is in view.
//
// `paint` needs only the methods of a canvas context, so that export.js can record the same picture as SVG.

const LABELS_FROM = 0.35, CURVES_FROM = 0.25, BOXES_FROM = 0.1;

function requestDraw() {
  if (requestDraw.isWaiting) return;
  requestDraw.isWaiting = true;
  requestAnimationFrame(() => {
    requestDraw.isWaiting = false;
    drawView();
  });
}

function drawView() {
  if (!scene) return;
  const canvas = byId("canvas");
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = viewSize();
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  const { x, y, scale } = state.camera;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = palette.back;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio * scale, 0, 0, ratio * scale, -x * scale * ratio, -y * scale * ratio);
  const whole = scene;
  if (motion) scene = movingScene(whole);
  paint(context, { x, y, w: width / scale, h: height / scale }, scale);
  scene = whole;
  if (motion) requestDraw();
  drawMap();
}

const overlaps = (box, area) =>
  box.x < area.x + area.w && box.x + box.w > area.x && box.y < area.y + area.h && box.y + box.h > area.y;

/** Draw all in `area`, in the coordinates of the scene. */
function paint(context, area, scale) {
  for (const frame of scene.frames) if (overlaps(frame, area)) paintFrame(context, frame, scale);
  if (scale >= BOXES_FROM) {
    const later = [];
    for (const edge of scene.edges) {
      if (!overlaps(boundsOf(edge), area)) continue;
      if (edgeSide(edge)) later.push(edge);
      else paintEdge(context, edge, scale);
    }
    for (const edge of later) paintEdge(context, edge, scale);
    for (const box of scene.boxes) if (overlaps(box, area)) paintBox(context, box, scale);
    if (scale >= 0.7) {
      const taken = [];
      for (const edge of scene.edges) if (overlaps(boundsOf(edge), area)) paintEdgeLabel(context, edge, taken);
    }
  }
}

function boundsOf(edge) {
  if (!edge.bounds) {
    const xs = edge.points.map((p) => p[0]), ys = edge.points.map((p) => p[1]);
    const x = Math.min(...xs) - 2, y = Math.min(...ys) - 2;
    edge.bounds = xs.length ? { x, y, w: Math.max(...xs) - x + 2, h: Math.max(...ys) - y + 2 } : { x: 0, y: 0, w: -1, h: -1 };
  }
  return edge.bounds;
}

function roundRect(context, x, y, w, h, radius) {
  context.beginPath();
  context.roundRect(x, y, w, h, radius);
}

const frameColour = (entry) => (pathTo(entry).length % 2 ? palette.back : palette.frame);

function paintFrame(context, frame, scale) {
  if (tree.up[frame.entry] < 0) return;
  const isSelected = state.selected === frame.entry;
  roundRect(context, frame.x, frame.y, frame.w, frame.h, 10);
  context.fillStyle = frameColour(frame.entry);
  context.fill();
  context.lineWidth = isSelected ? 2 / Math.min(1, scale) : 1;
  context.strokeStyle = isSelected ? palette.accent : palette.line;
  context.stroke();
  if (scale < LABELS_FROM) return;
  context.font = `600 12px ${FONT}`;
  context.fillStyle = palette.soft;
  context.textAlign = "left";
  context.fillText(frameTitle(frame.entry), frame.x + 12, frame.y + 17);
}

/** Return 1 if an edge leads to the selected entry, 2 if it comes from there, else 0. */
function edgeSide(edge) {
  if (state.selected < 0) return 0;
  if (edge.to === state.selected) return 1;
  if (edge.from === state.selected) return 2;
  for (const one of edge.edges.slice(0, 50)) {
    const side = selectedEdges().get(one);
    if (side) return side;
  }
  return 0;
}

/** The edges of the selected node, 1 for inputs and 2 for outputs; so that they are marked on their way through frames. */
function selectedEdges() {
  if (selectedEdges.of !== state.selected) {
    const sides = new Map();
    const node = state.selected >= 0 ? model.node[state.selected] : -1;
    if (node >= 0) {
      for (let e = model.first[node]; e < model.first[node + 1]; e++) sides.set(e, 1);
      for (let k = model.firstUse[node]; k < model.firstUse[node + 1]; k++) sides.set(model.uses[k], 2);
    }
    selectedEdges.of = state.selected;
    selectedEdges.sides = sides;
  }
  return selectedEdges.sides;
}

function paintEdge(context, edge, scale) {
  const { points } = edge;
  if (points.length < 2) return;
  const side = edgeSide(edge);
  context.strokeStyle = side === 1 ? palette.before : side === 2 ? palette.after : palette.edge;
  const tensors = edge.control ? 1 : new Set(edge.edges.map((e) => `${model.from[e]} ${model.port[e]}`)).size;
  context.lineWidth = (side ? 2.2 : 1) * Math.min(4, 1 + Math.log2(tensors) * 0.5);
  context.setLineDash(side === 2 ? [9, 4] : edge.control ? [3, 4] : []);
  context.globalAlpha = state.selected >= 0 && !side ? 0.45 : edge.control ? 0.7 : 1;
  context.beginPath();
  if (scale < CURVES_FROM) points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  else paintCurve(context, points);
  context.stroke();
  context.setLineDash([]);
  if (scale >= CURVES_FROM && !edge.goesOn) paintArrow(context, edge);
  context.globalAlpha = 1;
}

/** A spline through all points with vertical tangents. */
function paintCurve(context, points) {
  context.moveTo(points[0][0], points[0][1]);
  for (let i = 1; i < points.length; i++) {
    const [x, y] = points[i - 1], [u, v] = points[i];
    if (Math.abs(x - u) < 0.5) context.lineTo(u, v);
    else {
      const bend = Math.abs(v - y) * 0.5 || 10;
      const sign = v >= y ? 1 : -1;
      context.bezierCurveTo(x, y + sign * bend, u, v - sign * bend, u, v);
    }
  }
}

function paintArrow(context, edge) {
  const { points } = edge;
  const [x, y] = points[points.length - 1];
  const sign = y >= points[points.length - 2][1] ? 1 : -1;
  context.fillStyle = context.strokeStyle;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 3.5, y - sign * 7);
  context.lineTo(x + 3.5, y - sign * 7);
  context.closePath();
  context.fill();
}

/** The shape on an edge, where it leaves its box, if there is room and no label is there. */
function paintEdgeLabel(context, edge, taken) {
  if (edge.control || edge.points.length < 2 || edge.isPort) return;
  if (isClosedLeaf(edge.from)) return;  // a node shows the shape in its box
  const text = edgeText(edge.edges[0]);
  if (!text) return;
  const [[x, y], [u, v]] = edge.points;
  if (Math.abs(v - y) < 20 || Math.abs(u - x) > 60) return;
  const label = edge.edges.length > 1 ? `${text} +${edge.edges.length - 1}` : text;
  const area = { x: x + 3, y: y + 4, w: textWidth(label, 9.5) + 2, h: 11 };
  if (taken.some((other) => overlaps(other, area))) return;
  taken.push(area);
  context.fillStyle = frameColour(edge.level);
  roundRect(context, area.x, area.y, area.w, area.h, 2);
  context.fill();
  context.font = `400 9.5px ${FONT}`;
  context.textAlign = "left";
  context.fillStyle = palette.soft;
  context.fillText(label, x + 4, y + 12);
}

const isClosedLeaf = (entry) => entry >= 0 && isLeaf(entry);

/** Return how strong the colour of the overlay is in a box, from 0 to 0.47. */
function heatStrength(entry) {
  const most = tree.heatMost ??= Math.max(1e-300, ...scene.boxes.map((box) => Math.abs(tree.heat[box.entry])));
  const share = Math.sqrt(Math.min(1, Math.abs(tree.heat[entry]) / most));  // a closed scope is not all that one sees
  return share && 0.07 + 0.4 * share;
}

function paintBox(context, box, scale) {
  const { entry, x, y, w, h } = box;
  const isSelected = state.selected === entry;
  const colour = entryColour(entry);
  const hits = shown ? hitsIn(entry) : 0;
  const status = statusOf(entry);
  if (!isLeaf(entry) && scale >= CURVES_FROM) {
    roundRect(context, x + 3, y + 3, w, h, 6);
    context.fillStyle = palette.frame;
    context.fill();
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.stroke();
  }
  roundRect(context, x, y, w, h, isLeaf(entry) ? 5 : 6);
  context.fillStyle = isSelected ? palette.chosen : hits ? palette.hit : palette.box;
  context.fill();
  const heat = model.heat.size ? heatStrength(entry) : 0;
  if (heat) {
    context.globalAlpha = heat;
    context.fillStyle = palette.heat;
    context.fill();
    context.globalAlpha = 1;
  }
  const isEnd = isEndpoint(entry);
  context.strokeStyle = isSelected ? palette.accent : status ? palette[status] : hits ? palette.changed : isEnd ? FAMILIES[6][1] : palette.rim;
  context.lineWidth = isSelected || status || hits || isEnd ? 2 : 1;
  context.setLineDash(status === "removed" ? [4, 3] : []);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = colour;
  roundRect(context, x + 4, y + 5, 4, h - 10, 2);
  context.fill();
  if (scale < LABELS_FROM) return;
  const lines = boxLines(entry);
  context.textAlign = "left";
  const first = y + h / 2 - (lines.length - 1) * 7.2 + 4;
  lines.forEach((line, i) => {
    context.font = i ? `400 10.5px ${FONT}` : `600 12px ${FONT}`;
    context.fillStyle = i && !heat ? palette.soft : palette.text;
    context.fillText(fitted(line, w - 20, i ? 10.5 : 12, i === 0), x + 14, first + i * 14.4);
  });
  const badges = [];
  if (status) badges.push([`${SIGNS[status]}${isLeaf(entry) ? "" : tree.changes[entry]}`, palette[status]]);
  if (hits && !isLeaf(entry)) badges.push([grouped(hits), palette.accent]);
  if (tree.heat[entry]) badges.push([`${short(Number(tree.heat[entry].toPrecision(3)))}${model.overlay.unit}`, palette.changed]);
  if (box.isHub) badges.push(["linked with many", palette.soft]);
  let right = x + w;
  for (const [text, badgeColour] of badges) {
    const width = textWidth(text, 10, true) + 10;
    roundRect(context, right - width + 4, y - 8, width, 15, 7);
    context.fillStyle = badgeColour;
    context.fill();
    context.font = `600 10px ${FONT}`;
    context.fillStyle = palette.sign;
    context.fillText(text, right - width + 9, y + 3);
    right -= width + 3;
  }
}

function isEndpoint(entry) {
  const node = model.node[entry];
  return node >= 0 && (model.ends.inputs.includes(node) || model.ends.outputs.includes(node));
}

const fits = new Map();

/** Return a text cut to a width. */
function fitted(text, width, size, isBold) {
  if (textWidth(text, size, isBold) <= width) return text;
  const key = `${width} ${size} ${text}`;
  let result = fits.get(key);
  if (result === undefined) {
    let length = text.length;
    while (length > 3 && textWidth(shortened(text, length), size, isBold) > width) length--;
    result = shortened(text, length);
    fits.set(key, result);
  }
  return result;
}

/** The whole drawing in a corner, with a frame around what is in view. */
function drawMap() {
  const canvas = byId("map");
  const limit = 150;
  const { camera } = state;
  const { width, height } = viewSize();
  canvas.hidden = scene.width * camera.scale <= width && scene.height * camera.scale <= height;
  if (canvas.hidden) return;
  const factor = Math.min(limit / scene.width, limit / scene.height);
  const size = [Math.max(24, scene.width * factor), Math.max(24, scene.height * factor)];
  const ratio = window.devicePixelRatio || 1;
  canvas.width = size[0] * ratio;
  canvas.height = size[1] * ratio;
  canvas.style.width = `${size[0]}px`;
  canvas.style.height = `${size[1]}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio * factor, ratio * factor);
  for (const box of scene.boxes) {
    context.fillStyle = box.entry === state.selected ? palette.accent : entryColour(box.entry);
    context.globalAlpha = 0.7;
    context.fillRect(box.x, box.y, box.w, Math.max(box.h, 1 / factor));
  }
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5 / factor;
  context.strokeRect(camera.x, camera.y, width / camera.scale, height / camera.scale);
  drawMap.factor = factor;
}
