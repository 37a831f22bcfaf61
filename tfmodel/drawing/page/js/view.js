// The state of the view: what is open, selected, hidden; the camera; and their place in the address (#...).

const state = {
  body: 0, open: new Set(), hidden: new Set(), aside: new Map(), selected: -1, node: -1, query: "", tab: "graph", theme: "",
  camera: { x: 0, y: 0, scale: 1 },
};
let scene = null;
const past = [], future = [];

const isOpen = (entry) => state.open.has(entry);
const boxOf = (entry) => scene.byEntry.get(entry);

/** Lay out the open entries again. The entry `anchor` stays where it is on the screen. */
function relayout(anchor = -1) {
  const old = scene, before = old && old.byEntry.get(anchor);
  scene = layoutScene();
  const after = boxOf(anchor);
  if (before && after) {
    const [dx, dy] = [after.x - before.x, after.y - before.y];
    state.camera.x += dx;
    state.camera.y += dy;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches || scene.boxes.length > MAX_MOVED;
    motion = isStill ? null : { old, dx, dy, start: performance.now() };
  }
  changed();
}

const MOTION = 150, MAX_MOVED = 400;  // milliseconds, boxes
let motion = null;  // the scene that the boxes come from, and how far it is from the new one

/** Return the scene on its way from the old one: boxes move and grow, edges come at the end. */
function movingScene() {
  const t = (performance.now() - motion.start) / MOTION;
  if (t >= 1) {
    motion = null;
    return scene;
  }
  const { old, dx, dy } = motion;
  const mix = (a, b) => a + (b - a) * t * (2 - t);
  const between = (box) => {
    const from = pathTo(box.entry).slice(1).reverse().map((e) => old.byEntry.get(e)).find(Boolean);
    if (!from) return box;
    return { ...box, x: mix(from.x + dx, box.x), y: mix(from.y + dy, box.y), w: mix(from.w, box.w), h: mix(from.h, box.h) };
  };
  return { ...scene, boxes: scene.boxes.map(between), frames: scene.frames.map(between), edges: [] };
}

/** Draw again, and write the state to the address. */
function changed() {
  requestDraw();
  clearTimeout(changed.timer);
  changed.timer = setTimeout(saveState, 150);
}

/** Lay out and show again what is open, selected and hidden. */
function refresh(anchor) {
  relayout(anchor);
  refreshOutline();
  refreshPicker();
  showDetails();
}

function toggle(entry) {
  if (!(tree.up[entry] >= 0) || (isLeaf(entry) && !enterCall(entry))) return;
  remember();
  if (isOpen(entry)) closeEntry(entry);
  else state.open.add(entry);
  refresh(entry);
}

function closeEntry(entry) {
  const isInside = (e) => pathTo(e).includes(entry);
  if (state.selected !== entry && isInside(state.selected)) select(entry);
  for (const open of [...state.open].filter(isInside)) state.open.delete(open);
  for (const call of [...tree.inside.keys()].filter(isInside)) leaveCall(call);
  state.open.add(rootOf(state.body));
}

/** Show the graph (body 0) or a function as it opens at first. */
function showBody(body) {
  remember();
  state.selected = state.node = -1;
  showFirst(body);
  refreshPicker();
  showDetails();
  unfoldOpen();
  refreshOutline();
}

function leaveAllCalls() {
  for (const call of [...tree.inside.keys()]) leaveCall(call);
}

/** Select an entry, and open what is around it. `node` is a node inside, if it has no entry of its own. */
function select(entry, { center = false, node = -1 } = {}) {
  state.selected = entry;
  state.node = node < 0 && entry >= 0 ? model.node[entry] : node;
  if (entry >= 0) {
    const body = bodyOfEntry(entry), isNew = body !== state.body;
    if (isNew) openFirst(body);
    const path = pathTo(entry), around = path.slice(0, -1);
    const isOpened = isNew || around.some((e) => !isOpen(e)) || path.some((e) => state.hidden.has(e));
    for (const e of around) state.open.add(e);
    for (const e of path) state.hidden.delete(e);
    if (isOpened) relayout();
    if (isNew) refreshPicker();
    if (center) centerOn(entry);
    say(`${fullName(entry)} selected`);
  }
  showDetails();
  refreshOutline(entry >= 0);
  changed();
}

function selectNode(node) {
  const seen = shownAs(node);
  select(tree.entryOf[seen], { center: true, node: seen });
}

/** Go to a node from elsewhere on the page. */
function visit(node) {
  remember();
  showTab("graph");
  selectNode(node);
}

// --- camera ------------------------------------------------------------------------------------------------------------

/** Return the part of the scene that is in view. */
function viewArea(scale = state.camera.scale) {
  return { ...state.camera, w: (canvas.clientWidth || 900) / scale, h: (canvas.clientHeight || 600) / scale };
}

/** Return the place in the scene where a mouse event is. */
function placeInScene({ clientX, clientY }) {
  const { left, top } = canvas.getBoundingClientRect(), { x, y, scale } = state.camera;
  return [x + (clientX - left) / scale, y + (clientY - top) / scale];
}

function centerAt(x, y) {
  const { w, h } = viewArea();
  Object.assign(state.camera, { x: x - w / 2, y: y - h / 2 });
  changed();
}

/** Move the camera to an entry, at a scale at which its text can be read. */
function centerOn(entry) {
  const box = boxOf(entry);
  if (!box) return;
  if (state.camera.scale < 0.75) state.camera.scale = 1;
  centerAt(box.x + box.w / 2, box.y + Math.min(box.h, viewArea().h) / 2);
}

/** Show the whole drawing if its text can be read so, and else its inputs. */
function anchorAtInputs() {
  const room = roomAt(1), across = room.w / scene.width, down = room.h / scene.height;
  const scale = Math.max(READABLE, Math.min(across, down < READABLE ? 1 : Math.min(down, 1.25)));
  const { w, h } = viewArea(scale);
  const inputs = endsOf(state.body).inputs.map((node) => boxOf(visibleEntry(tree.entryOf[node])));
  const target = inputs.find(Boolean) || highest(scene.boxes);
  const camera = { scale, x: scene.width <= w ? (scene.width - w) / 2 : bestLeft(target, w, h), y: -54 / scale };
  if (target && target.y > h * 0.7) camera.y = target.y - 120 / scale;
  else if (scene.height <= h - 70 / scale) camera.y = (scene.height - h - 40 / scale) / 2;
  state.camera = camera;
  changed();
}

/** Return the first of the boxes that has the smallest value. */
const least = (boxes, valueOf) => boxes.reduce((best, box) => (best !== null && valueOf(best) <= valueOf(box) ? best : box), null);
const highest = (boxes) => least(boxes, (box) => box.y);

/** Return the left side of a view of the top in which a box and as many others as possible are whole. */
function bestLeft(target, width, height) {
  if (!target) return (scene.width - width) / 2;
  const isInside = (box, left) => box.x >= left + 8 && box.x + box.w <= left + width - 8;
  const near = scene.boxes.filter((box) => box.y < Math.max(0, target.y - 120) + height);
  const middle = target.x + target.w / 2 - width / 2;
  let best = middle, most = 0;
  for (const left of [middle, ...near.map((box) => box.x - 24), ...near.map((box) => box.x + box.w + 24 - width)]) {
    const count = isInside(target, left) ? near.filter((box) => isInside(box, left)).length : 0;
    if (count > most || (count === most && Math.abs(left - middle) < Math.abs(best - middle))) [best, most] = [left, count];
  }
  return best;
}

function fitAll() {
  const whole = viewArea(1);
  const scale = Math.min((whole.w - 40) / scene.width, (whole.h - 80) / scene.height, 1.5);
  const { w, h } = viewArea(scale);
  state.camera = { scale, x: (scene.width - w) / 2, y: (scene.height - h - 40 / scale) / 2 };
  changed();
}

/** Return the entry, or the closed entry around it that has a box. */
const visibleEntry = (entry) => pathTo(entry).find((around) => !isOpen(around)) ?? entry;

/** Change the scale; a place in the scene stays where it is on the screen. */
function zoomAt([x, y], factor) {
  const { camera } = state;
  const scale = Math.min(4, Math.max(0.02, camera.scale * factor)), share = camera.scale / scale;
  Object.assign(camera, { x: x + (camera.x - x) * share, y: y + (camera.y - y) * share, scale });
  changed();
}

function zoomCentre(factor) {
  const { x, y, w, h } = viewArea();
  zoomAt([x + w / 2, y + h / 2], factor);
}

// --- history and address ---------------------------------------------------------------------------------------------

/** Return the state as it stands in the address, without some parts. */
function stateText(...without) {
  const { camera, body, selected, node } = state;
  const aside = [...state.aside].map(([e, is]) => (is ? e : -e));
  return new URLSearchParams(Object.entries({
    tab: state.tab, body: body || "", open: [...state.open].sort((a, b) => a - b).join("."), hidden: [...state.hidden].join("."),
    aside: aside.join("."), selected: selected < 0 ? "" : selected, node: node < 0 ? "" : node, q: state.query, theme: state.theme,
    at: [camera.x.toFixed(0), camera.y.toFixed(0), camera.scale.toFixed(3)].join("_"),
  }).filter(([name, value]) => value !== "" && !without.includes(name))).toString();
}

/** The state of the picture alone. */
const pictureText = () => stateText("tab", "q", "theme");

function saveState() {
  try {
    history.replaceState(null, "", `#${isFirst() ? stateText("open", "at") : stateText()}`);  // each window has its first picture
  } catch {
    // A page in an iframe without an address keeps its state to itself.
  }
}

/** Take over a state from the address. Numbers that do not exist are left out. */
function readState(text) {
  const parts = new URLSearchParams(text);
  const numbers = (name, separator = ".") => (parts.get(name) || "").split(separator).filter(Boolean).map(Number);
  const numberIn = (name, count) => numbers(name).find((n) => Number.isInteger(n) && n >= 0 && n < count) ?? -1;
  const isEntry = (e) => Number.isInteger(e) && e >= 0 && e < tree.count;
  state.body = bodyNamed(parts.get("view")) ?? (parts.has("body") || parts.has("open") ? Math.max(0, numberIn("body", model.bodies.length)) : model.main);
  leaveAllCalls();
  state.open = new Set(numbers("open").filter((e) => isEntry(e) && (!isLeaf(e) || enterCall(e))));
  if (!isOpen(rootOf(state.body))) state.open = new Set([rootOf(state.body)]);
  state.hidden = new Set(numbers("hidden").filter(isEntry));
  state.aside = new Map(numbers("aside").filter((e) => isEntry(Math.abs(e))).map((e) => [Math.abs(e), e > 0]));
  state.selected = numberIn("selected", tree.count);
  state.node = numberIn("node", model.count);
  state.query = parts.get("q") || "";
  if (parts.get("name")) namedNode(parts.get("name"));
  state.theme = ["light", "dark"].find((theme) => theme === parts.get("theme")) || "";
  const [x, y, scale] = numbers("at", "_");
  if ([x, y, scale].every(Number.isFinite) && scale > 0.01 && scale < 10) state.camera = { x, y, scale };
  return parts;
}

/** Return the first signature, or else the function or part, with a name; undefined if there is none. */
function bodyNamed(name) {
  const bodies = name ? [...Object.keys(BODY_KINDS)].flatMap((kind) => bodiesOf(kind)) : [];
  return bodies.find((body) => [model.bodies[body].name, model.bodies[body].kind].includes(name));
}

/** Select the node with a name, in the picture that is shown if it is there. */
function namedNode(name) {
  const node = model.names.findIndex((one, i) => one === name && !model.copy[i]);
  if (node < 0) return;
  state.node = shownAs(node);
  state.selected = tree.entryOf[state.node];
  state.body = bodyOfEntry(state.selected);
}

/** Follow a link to another view of this page. */
function followLink() {
  remember();
  const { theme } = state, parts = readState(location.hash.slice(1));
  state.theme ||= theme;
  if (state.theme !== theme) refreshColours();
  showState(parts);
}

/** Show the state that was read from an address. Without open entries it is the first picture, with the selected one in view. */
function showState(parts) {
  const { selected, node, query } = state;
  if (parts.has("open")) {
    relayout();
    if (!parts.has("at")) anchorAtInputs();
  } else {
    showFirst(state.body);
    if (selected >= 0) select(selected, { center: true, node });
  }
  unfoldOpen();
  refreshOutline(selected >= 0);
  refreshPicker();
  showDetails();
  if (query !== queryField.value) setQuery(query);
  showTab(parts.get("tab") || (String(parts) ? "graph" : model.tab));
}

function remember() {
  past.push(stateText());
  if (past.length > 100) past.shift();
  future.length = 0;
}

function goBack(isForward) {
  const [from, to] = isForward ? [future, past] : [past, future];
  if (!from.length) return;
  to.push(stateText());
  const { theme } = state, parts = readState(from.pop());
  state.theme = theme;
  showState(parts);
}
