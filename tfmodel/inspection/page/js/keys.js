// Mouse and keys on the picture, the context menu, and the help.

const KEYS = [
  ["/", "search"], ["← ↑ → ↓", "along edges, and within a layer"], ["Enter", "open"], ["Backspace", "close"],
  ["u  d", "find what is upstream, downstream"], ["f", "fit all"], ["+  −  0", "zoom"], ["[  ]", "back, forward"],
  ["n  p", "next, previous hit or difference"], ["m", "menu of what is selected"], ["t", "theme"], ["Esc", "nothing selected"], ["?", "this help"],
];

function boxAt(event) {
  const { left, top } = byId("canvas").getBoundingClientRect();
  const { camera } = state;
  const x = (event.clientX - left) / camera.scale + camera.x, y = (event.clientY - top) / camera.scale + camera.y;
  const isIn = (box) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
  const box = scene.boxes.findLast(isIn);
  if (box) return box.entry;
  const frame = scene.frames.findLast(isIn);
  return frame && tree.up[frame.entry] >= 0 ? frame.entry : -1;
}

function listenToPicture() {
  const canvas = byId("canvas");
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag = { x: event.clientX, y: event.clientY, moved: true };
    canvas.classList.add("grabbing");
    state.camera.x -= dx / state.camera.scale;
    state.camera.y -= dy / state.camera.scale;
    changed();
  });
  canvas.addEventListener("pointerup", (event) => {
    canvas.classList.remove("grabbing");
    if (drag && !drag.moved) {
      const entry = boxAt(event);
      remember();
      select(entry);
    }
    drag = null;
  });
  canvas.addEventListener("dblclick", (event) => {
    const entry = boxAt(event);
    if (entry >= 0) toggle(entry);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? 20 : 1;
    zoomAt(event.clientX - left, event.clientY - top, Math.exp(-event.deltaY * lines * 0.0016));
  }, { passive: false });
  canvas.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    const entry = boxAt(event);
    if (event.button < 0) showMenuOfSelected();  // by a key
    else if (entry >= 0) {
      select(entry);
      showMenu(entry, event.clientX, event.clientY);
    }
  });
  byId("menu").addEventListener("keydown", (event) => {
    const items = [...byId("menu").children], at = items.indexOf(document.activeElement);
    if (event.key === "ArrowDown") items[(at + 1) % items.length].focus();
    else if (event.key === "ArrowUp") items[(at + items.length - 1) % items.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") {
      byId("menu").hidden = true;
      canvas.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const map = byId("map");
  map.addEventListener("pointerdown", (event) => {
    const { left, top } = map.getBoundingClientRect();
    const { width, height } = viewSize();
    state.camera.x = (event.clientX - left) / drawMap.factor - width / 2 / state.camera.scale;
    state.camera.y = (event.clientY - top) / drawMap.factor - height / 2 / state.camera.scale;
    changed();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("#menu")) byId("menu").hidden = true;
  });
  new ResizeObserver(() => requestDraw()).observe(canvas);
}

function showMenuOfSelected() {
  const box = scene.byEntry.get(state.selected);
  if (!box) return;
  const { camera } = state, { left, top } = byId("canvas").getBoundingClientRect();
  showMenu(state.selected, (box.x + box.w / 2 - camera.x) * camera.scale + left, (box.y + box.h - camera.y) * camera.scale + top);
}

function showMenu(entry, x, y) {
  const name = isLeaf(entry) ? quotedName(model.names[model.node[entry]]) : "";
  const items = [
    (!isLeaf(entry) || model.calls.has(model.node[entry])) && [state.open.has(entry) ? "close" : "open", () => toggle(entry)],
    !isLeaf(entry) && ["open all below", () => openAll(entry)],
    ["hide", () => { state.hidden.add(entry); select(-1); relayout(); refreshOutline(); }],
    state.hidden.size > 0 && ["show all hidden", () => { state.hidden.clear(); relayout(); refreshOutline(); }],
    ["set aside", () => { state.aside.set(entry, true); relayout(); }],
    ["put back among the others", () => { state.aside.set(entry, false); relayout(); }],
    name && ["upstream", () => setNear("upstream", model.node[entry])],
    name && ["downstream", () => setNear("downstream", model.node[entry])],
    name && ["neighbourhood of 2", () => setQuery(`name=${name} or upstream of ${name} within 2 or downstream of ${name} within 2`)],
    name && lastNode && lastNode !== name && [`path from ${shortened(lastNode, 30)}`, () => setQuery(`path ${lastNode} to ${name}`)],
    name && ["start of a path", () => { lastNode = name; }],
  ].filter(Boolean);
  const menu = byId("menu");
  menu.replaceChildren(...items.map(([text, act]) => make("button", { role: "menuitem", onclick: () => { menu.hidden = true; remember(); act(); } }, text)));
  menu.hidden = false;
  menu.style.left = `${Math.min(x, innerWidth - menu.offsetWidth - 8)}px`;
  menu.style.top = `${Math.min(y, innerHeight - menu.offsetHeight - 8)}px`;
  menu.firstChild.focus();
}

let lastNode = "";

/** Return a name as a word of the language of queries. */
const quotedName = (name) => `"${name.replace(/(["\\])/g, "\\$1")}"`;

/** Search for what a node needs or leads to; for an argument of a function, which is no node, from what takes it. */
function setNear(direction, node) {
  if (node < 0) return;
  const name = quotedName(model.names[node]);
  if (model.isReal[node] || direction === "upstream") setQuery(`${direction} of ${name}`);
  else {
    const takers = `(input=${name} function=${quotedName(model.bodies[model.bodyOf[node]].name)})`;
    setQuery(`${takers} or downstream of ${takers}`);
  }
}

function setQuery(text) {
  byId("query").value = text;
  search(text);
}

/** Open an entry and all below it, to at most 600 boxes. */
function openAll(entry) {
  const pending = [entry];
  let boxes = 0;
  while (pending.length) {
    const current = pending.shift();
    if (isLeaf(current) || boxes + tree.children[current].length > 600) continue;
    boxes += tree.children[current].length;
    state.open.add(current);
    pending.push(...tree.children[current]);
  }
  relayout(entry);
  refreshOutline();
}

/** Select the next box in a direction: along an edge, or beside it in its layer. */
function move(key) {
  const from = scene.byEntry.get(state.selected);
  if (!from) {
    const first = scene.boxes.reduce((a, b) => (!a || b.y < a.y ? b : a), null);
    if (first) select(first.entry, { center: true });
    return;
  }
  const middle = (box) => box.x + box.w / 2;
  let candidates;
  if (key === "ArrowUp" || key === "ArrowDown") {
    const isUp = key === "ArrowUp";
    const ends = scene.edges.filter((edge) => (isUp ? edge.to : edge.from) === state.selected).map((edge) => scene.byEntry.get(isUp ? edge.from : edge.to));
    candidates = ends.filter(Boolean);
    if (!candidates.length) candidates = scene.boxes.filter((box) => (isUp ? box.y + box.h <= from.y : box.y >= from.y + from.h));
  } else {
    const sign = key === "ArrowRight" ? 1 : -1;
    candidates = scene.boxes.filter((box) => box.y < from.y + from.h && box.y + box.h > from.y && sign * (middle(box) - middle(from)) > 1);
  }
  const distance = (box) => Math.abs(middle(box) - middle(from)) + Math.abs(box.y - from.y);
  const best = candidates.reduce((a, b) => (!a || distance(b) < distance(a) ? b : a), null);
  if (best) {
    select(best.entry);
    if (!isInView(best)) centerOn(best.entry);
  }
}

function isInView(box) {
  const { camera } = state, { width, height } = viewSize();
  const [x, y] = [(box.x - camera.x) * camera.scale, (box.y - camera.y) * camera.scale];
  return x > 10 && y > 40 && x + box.w * camera.scale < width - 10 && y + box.h * camera.scale < height - 10;
}

function nextTheme() {
  state.theme = palette.isDark ? "light" : "dark";
  refreshColours();
}

/** Draw everything again in the colours of the theme. */
function refreshColours() {
  applyTheme(state.theme);
  if (state.tab === "weights") byId("table").replaceChildren(...weightsTable());
  showDetails();
  changed();
}

function showHelp() {
  const dialog = byId("help");
  const rows = KEYS.map(([key, text]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, text)));
  const examples = ["conv", "op=Conv2D shape=?,*,64", "attr.strides=2", "Conv2D -> Relu", "upstream of NAME within 3", "path A to B", "not op=Const"];
  dialog.replaceChildren(make("h2", {}, "Keys"), make("table", {}, ...rows), make("h2", {}, "Search"),
    make("pre", {}, ...withLines(examples.join("\n"))), make("button", { onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

const ACTIONS = new Map([
  ["/", () => byId("query").focus()], ["f", fitAll], ["t", nextTheme], ["?", showHelp], ["m", showMenuOfSelected],
  ["+", () => zoomCentre(1.25)], ["=", () => zoomCentre(1.25)], ["-", () => zoomCentre(0.8)], ["0", () => zoomCentre(1 / state.camera.scale)],
  ["[", () => goBack(false)], ["]", () => goBack(true)], ["n", () => showHit(hitPlace + 1)], ["p", () => showHit(hitPlace - 1)],
  ["Enter", () => state.selected >= 0 && toggle(state.selected)],
  ["Backspace", () => {
    const entry = state.open.has(state.selected) ? state.selected : tree.up[state.selected];
    if (entry >= 0 && tree.up[entry] >= 0) {
      remember();
      closeEntry(entry);
      relayout(entry);
      select(entry);
    }
  }],
  ["u", () => setNear("upstream", state.node)],
  ["d", () => setNear("downstream", state.node)],
  ["Escape", () => { byId("menu").hidden = true; select(-1); }],
  ...["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => [key, () => move(key)]),
]);

function zoomCentre(factor) {
  const { width, height } = viewSize();
  zoomAt(width / 2, height / 2, factor);
}

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const tag = event.target.tagName;
    if (tag === "INPUT" || tag === "TEXTAREA") return;
    if ((tag === "BUTTON" || tag === "TR" || tag === "SUMMARY" || event.target.className === "hit") && (event.key === "Enter" || event.key === " ")) return;
    if (state.tab !== "graph" && event.key.startsWith("Arrow")) return;
    const act = ACTIONS.get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  });
}
