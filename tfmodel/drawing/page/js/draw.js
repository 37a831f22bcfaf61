// Draw the scene, with less detail at smaller scales, and only what is in view.
//
// A painter has three methods: `rect` and `path` for shapes, whose style is a record of SVG attributes, and `text`. Here is
// that of the canvas; export.js has one that writes the same picture as SVG.

const CURVES_FROM = 0.25, EDGES_FROM = 0.1;
const NAMES_FROM = 7;  // pixels: smaller names are left out
const LEAST_TITLE = 7;  // characters of a title that is cut: fewer say nothing

function canvasPainter(context) {
  return {
    rect(x, y, w, h, radius, style) {
      const shape = new Path2D();
      shape.roundRect(x, y, w, h, radius);
      draw(shape, style);
    },
    path(steps, style) {
      draw(new Path2D(steps), style);
    },
    text(text, x, y, font, colour) {
      Object.assign(context, { font, fillStyle: colour, globalAlpha: 1 }).fillText(text, x, y);
    },
    isWhole: false,
  };

  function draw(shape, { fill, stroke, opacity = 1, "stroke-width": width = 1, "stroke-dasharray": dash = "" }) {
    context.globalAlpha = opacity;
    if (fill !== "none") {
      context.fillStyle = fill;
      context.fill(shape);
    }
    if (stroke) {
      Object.assign(context, { strokeStyle: stroke, lineWidth: width }).setLineDash(dash ? dash.split(" ") : []);
      context.stroke(shape);
    }
  }
}

/** Make a canvas w by h pixels of the page large, and return its context; what is drawn is enlarged by `scale`. */
function sized(picture, w, h, scale = 1) {
  const ratio = window.devicePixelRatio || 1;
  picture.width = Math.round(w * ratio);
  picture.height = Math.round(h * ratio);
  if (picture !== canvas) Object.assign(picture.style, { width: `${w}px`, height: `${h}px` });
  const context = picture.getContext("2d");
  context.scale(ratio * scale, ratio * scale);
  return context;
}

function requestDraw() {
  if (requestDraw.isWaiting) return;
  requestDraw.isWaiting = true;
  requestAnimationFrame(() => {
    requestDraw.isWaiting = false;
    drawView();
  });
}

const SIGN = 14;  // the room for the sign of a box that opens, or of a scope that folds

/** Where the signs are in the view that open and fold scopes, by entry: an exported picture has none to click. */
const signs = new Map();

/** Return the entry whose sign is at a place; -1 if there is none. */
function signAt(event) {
  const [x, y] = placeInScene(event);
  const isIn = ([, { left, top, size }]) => x >= left && x <= left + size && y >= top && y <= top + size;
  const [entry] = [...signs].findLast(isIn) ?? [-1];
  return entry;
}

function drawView() {
  if (!scene) return;
  signs.clear();
  const area = viewArea(), { x, y, w, h, scale } = area;
  const context = sized(canvas, w * scale, h * scale, scale);
  context.translate(-x, -y);
  const whole = scene;
  if (motion) scene = movingScene();
  paint({ ...canvasPainter(context), signs }, area, scale);
  scene = whole;
  if (motion) requestDraw();
  drawMap();
}

const overlaps = (box, area) =>
  box.x < area.x + area.w && box.x + box.w > area.x && box.y < area.y + area.h && box.y + box.h > area.y;

/** Draw all in `area`, in the coordinates of the scene. */
function paint(painter, area, scale) {
  painter.rect(area.x, area.y, area.w, area.h, 0, { fill: palette.back });
  const frames = scene.frames.filter((frame) => tree.up[frame.entry] >= 0 && overlaps(frame, area));
  for (const frame of frames) paintFrame(painter, frame, scale);
  const isShown = (edge) => overlaps(boundsOf(edge), area) && (scale >= READABLE || !edge.control || edgeSide(edge));
  const edges = scale < EDGES_FROM ? [] : scene.edges.filter(isShown);
  for (const edge of edges) if (!edgeSide(edge)) paintEdge(painter, edge, scale);
  for (const edge of edges) if (edgeSide(edge)) paintEdge(painter, edge, scale);
  const paintOne = scale < READABLE ? paintSmallBox : paintBox, boxes = scene.boxes.filter((box) => overlaps(box, area));
  const lit = litEntries();
  for (const box of boxes) {
    paintOne(painter, box, scale);
    if (lit && !lit.has(box.entry)) dim(painter, box);
  }
  const taken = boxes.slice();
  for (const edge of scale < READABLE ? [] : edges) paintEdgeLabel(painter, edge, taken);
  const titles = new Map();
  for (const frame of frames) paintTitle(painter, frame, area, scale, titles);
}

const frameColour = (entry) => (pathTo(entry).length % 2 ? palette.back : palette.frame);

function paintFrame(painter, { entry, x, y, w, h }, scale) {
  const rim = state.selected === entry ? { stroke: palette.accent, "stroke-width": 2 / Math.min(1, scale) } : { stroke: palette.line };
  painter.rect(x, y, w, h, 10, { fill: frameColour(entry), ...rim });
}

/** Draw the title of an open scope where it is in view: at the top of the scope, or of the view below the titles of the
 * scopes around it. It is larger than the drawing at small scales. `titles` has the bottoms of titles that are drawn.
 */
function paintTitle(painter, { entry, x, y, w, h }, area, scale, titles) {
  const whole = frameTitle(entry), fit = ((w * scale - 12) * 12) / textWidth(whole, TITLE_FONT);
  const pixels = scale >= READABLE ? 12 * scale : Math.min(20, Math.max(12, (w * scale) / 14), Math.max(9, fit));
  const size = Math.round(pixels / scale), height = size * 1.5, pad = scale >= READABLE ? 12 : 6 / scale;
  const start = Math.max(x, area.x) + pad, left = start + (scale >= READABLE ? SIGN : 0), room = Math.min(x + w, area.x + area.w) - left - pad / 2;
  const inset = area.y + (byId("crumbs").hidden ? 0 : 44 / scale);
  const top = Math.min(Math.max(y, y > area.y || painter.isWhole ? y : inset, titles.get(tree.up[entry]) ?? y), y + h - height);
  titles.set(entry, Math.max(top, y) + height);
  if (room * scale < 24 || (scale < READABLE && top + height > y + Math.max(h * 0.6, height))) return;
  const title = fitted(whole, (room * 12) / size, TITLE_FONT);
  if (title !== whole && title.length < LEAST_TITLE) return;
  if (top > y || scale < READABLE) {
    const width = (textWidth(title, TITLE_FONT) * size) / 12 + pad;
    painter.rect(left - pad / 2, top + size * 0.15, width, height * 0.95, 4 / Math.min(1, scale), { fill: frameColour(entry), opacity: 0.9 });
  }
  if (scale >= READABLE) {
    painter.signs?.set(entry, { left: start - 6, top: top + 2, size: 18 });
    painter.text("−", start, top + size * 1.42, fontOf(size), palette.soft);
  }
  painter.text(title, left, top + size * 1.42, fontOf(size), scale < READABLE || top > y ? palette.text : palette.soft);
}

/** Return the font of titles in another size. */
const fontOf = (size) => TITLE_FONT.replace("12px", `${size}px`);

/** Return how strong the colour of the overlay is in a box, from 0 to 0.47. */
function heatStrength(entry) {
  const most = tree.heatMost ??= Math.max(1e-300, ...scene.boxes.map((box) => Math.abs(tree.heat[box.entry])));
  const share = Math.sqrt(Math.min(1, Math.abs(tree.heat[entry]) / most));  // a closed scope is not all that one sees
  return share && 0.07 + 0.4 * share;
}

function paintBox(painter, box) {
  const { entry, x, y, w, h } = box;
  const isSelected = state.selected === entry, hits = hitsIn(entry), status = statusOf(entry), heat = heatStrength(entry);
  const radius = isLeaf(entry) ? 5 : 6;
  if (!isLeaf(entry)) painter.rect(x + 3, y + 3, w, h, radius, { fill: palette.frame, stroke: palette.line });
  const rim = rimOf(entry, status, hits), colour = entryColour(entry), lines = boxLines(entry);
  const isFilled = isLeaf(entry) && !isQuiet(status), head = lines.length > 1 ? HEAD : h;
  painter.rect(x, y, w, h, radius, { fill: isSelected ? palette.chosen : hits ? palette.hit : palette.box });
  if (isFilled) painter.path(headOf(x, y, w, head, radius, head === h), { fill: colour });
  else if (!isSelected && !hits) painter.rect(x, y, w, h, radius, { fill: colour, opacity: TINT });
  if (heat) painter.rect(x, y, w, h, radius, { fill: palette.heat, opacity: heat });
  if (!isFilled) painter.path(headOf(x, y, 7, h, radius, true, 0), { fill: colour });
  painter.rect(x, y, w, h, radius, {
    fill: "none", stroke: rim || palette.rim, "stroke-width": rim ? 2 : 1, "stroke-dasharray": status === "removed" ? "4 3" : "",
  });
  const first = isFilled ? y + head / 2 + 4 : y + h / 2 - (lines.length - 1) * 7.2 + 4;
  lines.forEach((line, i) => {
    const font = i ? LINE_FONT : TITLE_FONT, ink = isFilled && !i ? inkOn(colour) : i && !heat ? palette.soft : palette.text;
    painter.text(fitted(line, w - 20 - (i || isLeaf(entry) ? 0 : SIGN), font), x + (isFilled ? 10 : 14), first + i * 14.4 + (isFilled && i ? 5 : 0), font, ink);
  });
  if (!isLeaf(entry)) {
    painter.signs?.set(entry, { left: x + w - 22, top: y, size: 22 });
    painter.text("+", x + w - SIGN, first, TITLE_FONT, palette.soft);
  }
  const badges = [
    status && [`${SIGNS[status]}${isLeaf(entry) ? "" : tree.changes[entry]}`, palette[status]],
    hits && !isLeaf(entry) && [grouped(hits), palette.accent],
    tree.heat[entry] && [heatText(tree.heat[entry]), palette.changed],
    box.isHub && ["linked with many", palette.soft],
  ].filter(Boolean);
  let right = x + w;
  for (const [text, colour] of badges) {
    const width = textWidth(text, BADGE_FONT) + 10;
    painter.rect(right - width + 4, y - 9, width, 16, 8, { fill: colour });
    painter.text(text, right - width + 9, y + 3.5, BADGE_FONT, palette.sign);
    right -= width + 3;
  }
}

/** Draw a box at a scale at which its text cannot be read: filled, with its name as large as there is room. */
function paintSmallBox(painter, { entry, x, y, w, h }, scale) {
  const status = statusOf(entry), hits = hitsIn(entry), heat = heatStrength(entry), rim = rimOf(entry, status, hits);
  const colour = heat ? palette.heat : isQuiet(status) ? palette.rim : entryColour(entry);
  painter.rect(x, y, w, h, isLeaf(entry) ? 5 : 6, {
    fill: colour, ...(rim ? { stroke: rim, "stroke-width": Math.min(8, 2 / scale) } : isLeaf(entry) ? {} : { stroke: palette.text, "stroke-width": 1 }),
  });
  const size = Math.round(Math.min(h * 0.6, Math.max(12, 11 / scale)));
  if (size * scale < NAMES_FROM || w * scale < 24) return;
  const room = ((w - 10) * 12) / size, [label] = boxLines(entry);
  const names = isLeaf(entry) ? [label, label.split("/").pop(), visible(opOf(model.node[entry]))] : [label];
  const name = names.find((one) => textWidth(one, TITLE_FONT) <= room) ?? fitted(names.at(-1), room, TITLE_FONT);
  painter.text(name, x + 5, y + h / 2 + size * 0.36, fontOf(size), inkOn(colour));
}

/** Let a box step back that is not on a path of what is selected. */
function dim(painter, { entry, x, y, w, h }) {
  painter.rect(x - 2, y - 10, w + 6, h + 14, 4, { fill: frameColour(tree.up[entry]), opacity: 0.7 });
}

const HEAD = 21, TINT = 0.14;

/** Return the path of the upper part of a box, or of its left side: the corners are those of the box. */
function headOf(x, y, w, h, radius, isWhole, right = radius) {
  const below = isWhole ? radius : 0, r = digits, lower = isWhole ? right : 0;
  return `M${r(x)} ${r(y + radius)}a${radius} ${radius} 0 0 1 ${radius} ${-radius}H${r(x + w - right)}` +
    `a${right} ${right} 0 0 1 ${right} ${right}V${r(y + h - lower)}a${lower} ${lower} 0 0 1 ${-lower} ${lower}` +
    `H${r(x + below)}a${below} ${below} 0 0 1 ${-below} ${-below}z`;
}

/** Return the colour of the rim of a box that is marked, "" for others. */
function rimOf(entry, status, hits) {
  if (state.selected === entry) return palette.accent;
  return status ? palette[status] : hits ? palette.changed : isEndpoint(entry) ? colourOf(INPUTS) : "";
}

/** Return whether the colour of a box steps back: behind numbers of nodes, or in a difference, where nothing changed. */
const isQuiet = (status) => Boolean(model.overlay || (model.difference && !status));

const heatText = (number) => short(Number(number.toPrecision(3))) + model.overlay.unit;

function isEndpoint(entry) {
  const { inputs, outputs } = endsOf(state.body);
  return isLeaf(entry) && [...inputs, ...outputs].includes(model.node[entry]);
}

const fits = new Map();

/** Return a text cut to a width. */
function fitted(text, width, font) {
  if (textWidth(text, font) <= width) return text;
  const key = `${Math.round(width)} ${font} ${text}`;
  if (fits.size > 20000) fits.clear();
  if (!fits.has(key)) {
    let length = text.length;
    while (length > 3 && textWidth(shortened(text, length), font) > width) length--;
    fits.set(key, shortened(text, length));
  }
  return fits.get(key);
}

/** The whole drawing in a corner, with a frame around what is in view. */
function drawMap() {
  const limit = 150, { x, y, w, h } = viewArea();
  map.hidden = scene.width <= w && scene.height <= h;
  if (map.hidden) return;
  const factor = Math.min(limit / scene.width, limit / scene.height);
  const painter = canvasPainter(sized(map, Math.max(24, scene.width * factor), Math.max(24, scene.height * factor), factor));
  for (const box of scene.boxes) {
    const fill = box.entry === state.selected ? palette.accent : entryColour(box.entry);
    painter.rect(box.x, box.y, box.w, Math.max(box.h, 1 / factor), 0, { fill, opacity: 0.7 });
  }
  const line = 1.5 / factor, left = Math.max(x, line), top = Math.max(y, line);
  const right = Math.min(x + w, scene.width - line), bottom = Math.min(y + h, scene.height - line);
  painter.rect(left, top, Math.max(0, right - left), Math.max(0, bottom - top), 0, { fill: "none", stroke: palette.accent, "stroke-width": line });
  drawMap.factor = factor;
}
