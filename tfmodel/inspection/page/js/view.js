// The state of the view: what is open, selected, hidden; the camera; and their place in the address (#...).

const state = {
  body: 0, open: new Set(), hidden: new Set(), aside: new Map(), selected: -1, node: -1, query: "", tab: "graph", theme: "",
  camera: { x: 0, y: 0, scale: 1 },
};
let scene = null;
let shown = null;  // the nodes of a search that are marked
const past = [], future = [];

/** Lay out the open entries again. The entry `anchor` stays where it is on the screen. */
function relayout(anchor = -1) {
  const old = scene, before = old && old.byEntry.get(anchor);
  scene = layoutScene(rootOf(state.body), state.open, state.hidden, state.aside);
  const after = scene.byEntry.get(anchor);
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
function movingScene(whole) {
  const t = (performance.now() - motion.start) / MOTION;
  if (t >= 1) {
    motion = null;
    return whole;
  }
  const { old, dx, dy } = motion;
  const share = t * (2 - t);
  const between = (box) => {
    let from;
    for (let e = box.entry; e >= 0 && !from && tree.up[e] >= 0; e = tree.up[e]) from = old.byEntry.get(e);
    if (!from) return box;
    const mix = (a, b) => a + (b - a) * share;
    return { ...box, x: mix(from.x + dx, box.x), y: mix(from.y + dy, box.y), w: mix(from.w, box.w), h: mix(from.h, box.h) };
  };
  return { ...whole, boxes: whole.boxes.map(between), frames: whole.frames.map(between), edges: [] };
}

/** Draw again, and write the state to the address. */
function changed() {
  requestDraw();
  clearTimeout(changed.timer);
  changed.timer = setTimeout(saveState, 150);
}

function toggle(entry) {
  if (isLeaf(entry) && !enterCall(entry)) return;
  remember();
  if (state.open.has(entry)) closeEntry(entry);
  else state.open.add(entry);
  relayout(entry);
  refreshOutline();
}

function closeEntry(entry) {
  if (state.selected >= 0 && state.selected !== entry && pathTo(state.selected).includes(entry)) select(entry);
  for (const open of [...state.open]) if (pathTo(open).includes(entry)) state.open.delete(open);
  for (const call of [...tree.inside.keys()]) if (pathTo(call).includes(entry)) leaveCall(call);
  state.open.add(rootOf(state.body));
}

/** Show the graph (body 0) or a function as it opens at first. */
function showBody(body) {
  remember();
  leaveAllCalls();
  state.body = body;
  state.open = firstOpen(rootOf(body));
  state.selected = state.node = -1;
  relayout();
  anchorAtInputs();
  unfoldOpen();
  refreshOutline();
  refreshCrumbs();
  showDetails();
}

function leaveAllCalls() {
  for (const call of [...tree.inside.keys()]) leaveCall(call);
}

/** Select an entry, and open what is around it. `node` is a node inside, if it has no entry of its own. */
function select(entry, { center = false, node = -1 } = {}) {
  state.selected = entry;
  state.node = node >= 0 ? node : entry >= 0 ? model.node[entry] : -1;
  if (entry >= 0) {
    const body = bodyOfEntry(entry);
    const isNew = body !== state.body;
    if (isNew) {
      leaveAllCalls();
      state.body = body;
      state.open = firstOpen(rootOf(body));
    }
    let isOpened = isNew;
    for (const around of pathTo(entry).slice(0, -1)) {
      if (!state.open.has(around) || state.hidden.delete(around)) isOpened = true;
      state.open.add(around);
    }
    if (state.hidden.delete(entry)) isOpened = true;
    if (isOpened) relayout();
    if (isNew) refreshCrumbs();
    if (center) centerOn(entry);
    say(`${fullName(entry)} selected`);
  }
  showDetails();
  refreshOutline(entry >= 0);
  changed();
}

const selectNode = (node) => select(tree.entryOf[node], { center: true, node });

/** Move the camera to an entry if it is not in view, at a scale at which its text can be read. */
function centerOn(entry) {
  const box = scene.byEntry.get(entry);
  if (!box) return;
  const { camera } = state;
  if (camera.scale < 0.75) camera.scale = 1;
  const { width, height } = viewSize();
  camera.x = box.x + box.w / 2 - width / 2 / camera.scale;
  camera.y = box.y + Math.min(box.h, height / camera.scale) / 2 - height / 2 / camera.scale;
}

/** Show the inputs at a scale at which text is at least 9 pixels high: the whole drawing only if it fits so. */
function anchorAtInputs() {
  const { width, height } = viewSize();
  const fitting = Math.min((width - 40) / scene.width, (height - 70) / scene.height, 1.25);
  const scale = Math.max(0.86, fitting);
  const inputs = (state.body === 0 ? model.ends.inputs : []).map((node) => visibleEntry(tree.entryOf[node])).filter((e) => scene.byEntry.has(e));
  const boxes = inputs.map((e) => scene.byEntry.get(e));
  const target = boxes.length ? boxes[0] : scene.boxes.reduce((a, b) => (!a || b.y < a.y ? b : a), null);
  const camera = { scale, x: bestLeft(target, width / scale, height / scale), y: -54 / scale };
  if (scene.width * scale <= width) camera.x = (scene.width - width / scale) / 2;
  if (target && target.y * scale > height * 0.7) camera.y = target.y - 120 / scale;
  else if (scene.height * scale <= height - 70) camera.y = (scene.height - (height + 40) / scale) / 2;
  state.camera = camera;
  changed();
}

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
  const { width, height } = viewSize();
  const scale = Math.min((width - 40) / scene.width, (height - 80) / scene.height, 1.5);
  state.camera = { scale, x: (scene.width - width / scale) / 2, y: (scene.height - (height + 40) / scale) / 2 };
  changed();
}

/** Return the entry, or the closed entry around it that has a box. */
function visibleEntry(entry) {
  for (const around of pathTo(entry)) if (!state.open.has(around)) return around;
  return entry;
}

function zoomAt(x, y, factor) {
  const { camera } = state;
  const scale = Math.min(4, Math.max(0.02, camera.scale * factor));
  camera.x += x / camera.scale - x / scale;
  camera.y += y / camera.scale - y / scale;
  camera.scale = scale;
  changed();
}

function viewSize() {
  const canvas = byId("canvas");
  return { width: canvas.clientWidth || 900, height: canvas.clientHeight || 600 };
}

// --- history and address ---------------------------------------------------------------------------------------------

function stateText() {
  const { camera } = state;
  const parts = new URLSearchParams();
  parts.set("tab", state.tab);
  if (state.body) parts.set("body", state.body);
  parts.set("open", [...state.open].sort((a, b) => a - b).join("."));
  if (state.hidden.size) parts.set("hidden", [...state.hidden].join("."));
  if (state.aside.size) parts.set("aside", [...state.aside].map(([e, is]) => (is ? e : -e)).join("."));
  if (state.selected >= 0) parts.set("selected", state.selected);
  if (state.node >= 0) parts.set("node", state.node);
  if (state.query) parts.set("q", state.query);
  if (state.theme) parts.set("theme", state.theme);
  parts.set("at", [camera.x.toFixed(0), camera.y.toFixed(0), camera.scale.toFixed(3)].join("_"));
  return parts.toString();
}

function saveState() {
  try {
    history.replaceState(null, "", `#${stateText()}`);
  } catch {
    // A page in an iframe without an address keeps its state to itself.
  }
}

/** Take over a state from the address. Numbers that do not exist are left out. */
function readState(text) {
  const parts = new URLSearchParams(text);
  const numbers = (name) => (parts.get(name) || "").split(".").filter(Boolean).map(Number);
  const isEntry = (e) => Number.isInteger(e) && e >= 0 && e < tree.count;
  const body = Number(parts.get("body"));
  state.body = model.bodies[body] ? body : 0;
  leaveAllCalls();
  state.open = new Set(numbers("open").filter((e) => isEntry(e) && (!isLeaf(e) || enterCall(e))));
  if (!state.open.has(rootOf(state.body))) state.open = firstOpen(rootOf(state.body));
  state.hidden = new Set(numbers("hidden").filter(isEntry));
  state.aside = new Map(numbers("aside").filter((e) => isEntry(Math.abs(e))).map((e) => [Math.abs(e), e > 0]));
  const selected = parts.has("selected") ? Number(parts.get("selected")) : -1;
  state.selected = isEntry(selected) ? selected : -1;
  const node = parts.has("node") ? Number(parts.get("node")) : -1;
  state.node = Number.isInteger(node) && node >= 0 && node < model.count ? node : -1;
  state.query = parts.get("q") || "";
  state.theme = ["light", "dark"].includes(parts.get("theme")) ? parts.get("theme") : "";
  const [x, y, scale] = (parts.get("at") || "").split("_").map(Number);
  if ([x, y, scale].every(Number.isFinite) && scale > 0.01 && scale < 10) state.camera = { x, y, scale };
  return parts;
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
  const { theme } = state;
  readState(from.pop());
  state.theme = theme;
  relayout();
  refreshOutline();
  refreshCrumbs();
  showDetails();
}
