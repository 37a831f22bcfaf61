// Mouse and touch on the picture: drag or one finger moves it, the wheel or two fingers zoom, a click selects, two open.

const CLICK_SLACK = { mouse: 4, touch: 10, pen: 8 };  // pixels that a pointer may move in a click
const DOUBLE = 400;  // milliseconds between two clicks that open

/** Return the entry of the box, or of the open scope, at a place; -1 if there is none. */
function boxAt(event, isClosed = false) {
  const [x, y] = placeInScene(event);
  const isIn = (box) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
  const { entry } = scene.boxes.findLast(isIn) || (!isClosed && scene.frames.findLast(isIn)) || { entry: -1 };
  return tree.up[entry] >= 0 ? entry : -1;
}

function listenToPicture() {
  const pointers = new Map();
  let hasMoved = false, last = { entry: -1, time: 0 };
  canvas.onpointerdown = (event) => {
    if (event.button) return;
    if (!pointers.size) hasMoved = false;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    const { clientX: x, clientY: y, pointerId, pointerType } = event, from = pointers.get(pointerId);
    if (!from) return pointerType === "touch" ? undefined : pointAt(event);
    if (!hasMoved && pointers.size === 1 && Math.hypot(x - from.x, y - from.y) < (CLICK_SLACK[pointerType] ?? 4)) return;
    hasMoved = true;
    canvas.classList.add("grabbing");
    pointAt(null);
    const before = gesture([...pointers.values()]);
    pointers.set(pointerId, { x, y });
    const after = gesture([...pointers.values()]);
    if (before.distance && after.distance) zoomAt(placeInScene(before), after.distance / before.distance);
    state.camera.x -= (after.clientX - before.clientX) / state.camera.scale;
    state.camera.y -= (after.clientY - before.clientY) / state.camera.scale;
    changed();
  };
  canvas.onpointerup = (event) => {
    canvas.classList.remove("grabbing");
    if (pointers.delete(event.pointerId) && !hasMoved) click(event);
  };
  canvas.onpointercancel = ({ pointerId }) => pointers.delete(pointerId);
  canvas.onpointerleave = () => pointAt(null);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    zoomAt(placeInScene(event), Math.exp(-event.deltaY * lines * 0.0016));
  }, { passive: false });
  canvas.oncontextmenu = (event) => {
    event.preventDefault();
    const entry = boxAt(event);
    if (event.button < 0) showMenuOfSelected();  // by a key
    else if (entry >= 0) {
      select(entry);
      showMenu(entry, event.clientX, event.clientY);
    }
  };
  map.onpointerdown = ({ offsetX, offsetY }) => centerAt(offsetX / drawMap.factor, offsetY / drawMap.factor);
  document.onpointerdown = (event) => {
    if (!event.target.closest("#menu")) menu.hidden = true;
  };
  new ResizeObserver(fitWindow).observe(canvas);

  /** Select what was clicked; a second click, or one on its sign, opens or closes it. A finger on an edge shows its note. */
  function click(event) {
    const signed = signAt(event);
    if (signed >= 0) {
      last = { entry: -1, time: 0 };
      toggle(signed);
      return;
    }
    const entry = boxAt(event), time = performance.now(), isSecond = entry >= 0 && entry === last.entry && time - last.time < DOUBLE;
    last = isSecond ? { entry: -1, time } : { entry, time };
    pointAt(event.pointerType === "touch" ? event : null);
    if (isSecond) toggle(entry);
    else choose(entry);
  }
}

/** Return the middle of the pointers, and how far they are from each other; 0 for one. */
function gesture(points) {
  const [{ x, y }, other = { x, y }] = points;
  return { clientX: (x + other.x) / 2, clientY: (y + other.y) / 2, distance: Math.hypot(x - other.x, y - other.y) };
}

/** Select an entry that the user chose; nothing happens if it is selected already. */
function choose(entry) {
  if (entry === state.selected) return;
  remember();
  select(entry);
}

function listenToMenu() {
  const focusItem = (step) => () => {
    const items = [...menu.children];
    items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
  };
  const leaveMenu = () => {
    menu.hidden = true;
    canvas.focus();
  };
  onKeys(menu, { ArrowDown: focusItem(1), ArrowUp: focusItem(-1), Escape: leaveMenu, Tab: leaveMenu });
}

// --- narrow windows ----------------------------------------------------------------------------------------------------

const peek = byId("peek"), leftToggle = byId("left-toggle");

/** Return whether a side, which lies over the picture in narrow windows, is shown there. */
const isFolded = (side) => page.classList.contains(`show-${side}`);

/** Show or hide a side in narrow windows; wide ones have both beside the picture. */
function fold(side, isShown) {
  page.classList.toggle(`show-${side}`, isShown);
  set(side === "left" ? leftToggle : peek, { "aria-expanded": isShown });
}

function listenToFolds() {
  leftToggle.onclick = () => fold("left", !isFolded("left"));
  peek.onclick = () => {
    fold("right", true);
    byId("right").querySelector(".close").focus();
  };
}

/** Say at the lower edge of a narrow window what is selected; a click shows its details. */
function refreshPeek() {
  const entry = state.selected, node = state.node;
  const text = entry < 0 ? "details" : node >= 0 ? [shownName(node), opOf(node), outputText(node, 0)].filter(Boolean).join(" · ") : fullName(entry);
  peek.replaceChildren(make("span.name", shortened(text, 90)));
}

const closeDetails = () => set(button(".close", "✕", () => {
  fold("right", false);
  peek.focus();
}), { "aria-label": "hide the details" });
