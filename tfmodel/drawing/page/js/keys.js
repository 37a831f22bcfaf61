// Mouse and keys on the picture, the context menu, and the help.

/** The keys as the help shows them, what they do, and the functions by the names of the keys. */
const KEYS = [
  ["/", "search", { "/": () => field.focus() }],
  ["← ↑ → ↓", "along edges, and within a layer", Object.fromEntries(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => [key, () => move(key)]))],
  ["Enter", "open", { Enter: () => state.selected >= 0 && toggle(state.selected) }],
  ["Backspace", "close", { Backspace: closeSelected }],
  ["<  >", "fold, open one level", { "<": foldLevel, ">": openLevel }],
  ["*", "open all", { "*": () => openAll(rootOf(state.body)) }],
  ["u  d", "find what is upstream, downstream", { u: () => setNear("upstream", state.node), d: () => setNear("downstream", state.node) }],
  ["f", "fit all", { f: fitAll }],
  ["+  −  0", "zoom", {
    "+": () => zoomCentre(1.25), "=": () => zoomCentre(1.25), "-": () => zoomCentre(0.8), 0: () => zoomCentre(1 / state.camera.scale),
  }],
  ["[  ]", "back, forward", { "[": () => goBack(false), "]": () => goBack(true) }],
  ["n  p", "next, previous hit or difference", { n: () => showHit(hitPlace + 1), p: () => showHit(hitPlace - 1) }],
  ["e", "choose what is shown: a signature, part or function", { e: () => picker.focus() }],
  ["m", "menu of what is selected", { m: showMenuOfSelected }],
  ["t", "theme", { t: nextTheme }],
  ["Esc", "nothing selected", { Escape: () => { menu.hidden = true; select(-1); } }],
  ["?", "this help", { "?": showHelp }],
];

/** Return the entry of the box, or of the open scope, at a place; -1 if there is none. */
function boxAt(event, isClosed = false) {
  const [x, y] = placeOf(event);
  const isIn = (box) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
  const { entry } = scene.boxes.findLast(isIn) || (!isClosed && scene.frames.findLast(isIn)) || { entry: -1 };
  return tree.up[entry] >= 0 ? entry : -1;
}

function listenToPicture() {
  let drag = null;
  canvas.onpointerdown = (event) => {
    if (event.button) return;
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    const { clientX: x, clientY: y } = event;
    if (!drag) return pointAt(event);
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4) return;
    pointAt(null);
    canvas.classList.add("grabbing");
    state.camera.x -= (x - drag.x) / state.camera.scale;
    state.camera.y -= (y - drag.y) / state.camera.scale;
    drag = { x, y, moved: true };
    changed();
  };
  canvas.onpointerup = (event) => {
    canvas.classList.remove("grabbing");
    if (drag && !drag.moved) {
      remember();
      select(boxAt(event));
    }
    drag = null;
  };
  canvas.onpointerleave = () => pointAt(null);
  canvas.ondblclick = (event) => toggle(boxAt(event));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    zoomAt(placeOf(event), Math.exp(-event.deltaY * lines * 0.0016));
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
  const focusItem = (step) => () => {
    const items = [...menu.children];
    items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
  };
  const leaveMenu = () => {
    menu.hidden = true;
    canvas.focus();
  };
  onKeys(menu, { ArrowDown: focusItem(1), ArrowUp: focusItem(-1), Escape: leaveMenu, Tab: leaveMenu });
  map.onpointerdown = ({ offsetX, offsetY }) => centerAt(offsetX / drawMap.factor, offsetY / drawMap.factor);
  document.onpointerdown = (event) => {
    if (!event.target.closest("#menu")) menu.hidden = true;
  };
  new ResizeObserver(fitWindow).observe(canvas);
}

function showMenuOfSelected() {
  const box = boxOf(state.selected);
  if (!box) return;
  const { x, y, scale } = state.camera, { left, top } = canvas.getBoundingClientRect();
  showMenu(state.selected, (box.x + box.w / 2 - x) * scale + left, (box.y + box.h - y) * scale + top);
}

function showMenu(entry, x, y) {
  const node = model.node[entry], name = isLeaf(entry) ? quotedName(nameOf(node)) : "";
  const setAside = (is) => () => { state.aside.set(entry, is); relayout(); };
  const items = [
    (!name || model.calls.has(node)) && [isOpen(entry) ? "close" : "open", () => toggle(entry)],
    !name && ["open all below", () => { openBelow(entry); refresh(entry); }],
    ["hide", () => { state.hidden.add(entry); select(-1); refresh(); }],
    state.hidden.size && ["show all hidden", () => { state.hidden.clear(); refresh(); }],
    ["set aside", setAside(true)],
    ["put back among the others", setAside(false)],
    name && ["upstream", () => setNear("upstream", node)],
    name && ["downstream", () => setNear("downstream", node)],
    name && ["neighbourhood of 2", () => setQuery(`name=${name} or upstream of ${name} within 2 or downstream of ${name} within 2`)],
    name && lastNode && lastNode !== name && [`path from ${shortened(lastNode, 30)}`, () => setQuery(`path ${lastNode} to ${name}`)],
    name && ["start of a path", () => { lastNode = name; }],
  ];
  menu.replaceChildren(...items.filter(Boolean).map(([text, act]) => set(button("", text, () => { menu.hidden = true; remember(); act(); }), { role: "menuitem" })));
  menu.hidden = false;
  menu.style.left = `${Math.min(x, innerWidth - menu.offsetWidth - 8)}px`;
  menu.style.top = `${Math.min(y, innerHeight - menu.offsetHeight - 8)}px`;
  menu.firstChild.focus();
}

let lastNode = "";

/** Return a name as a word of the language of queries. */
const quotedName = (name) => `"${name.replace(/(["\\])/g, "\\$1")}"`;

/**
 * Search for what a node needs or leads to. An argument of a function is not a node: the search begins at the nodes that
 * take it.
 */
function setNear(direction, node) {
  if (node < 0) return;
  const name = quotedName(nameOf(node));
  if (model.isReal[node] || direction === "upstream") setQuery(`${direction} of ${name}`);
  else {
    const takers = `(input=${name} function=${quotedName(model.bodies[model.bodyOf[node]].name)})`;
    setQuery(`${takers} or downstream of ${takers}`);
  }
}

function closeSelected() {
  const entry = isOpen(state.selected) ? state.selected : tree.up[state.selected];
  if (!(tree.up[entry] >= 0)) return;
  remember();
  closeEntry(entry);
  relayout(entry);
  select(entry);
}

/** Select the next box in a direction: along an edge, or beside it in its layer. */
function move(key) {
  const from = boxOf(state.selected);
  if (!from) {
    if (scene.boxes.length) select(highest(scene.boxes).entry, { center: true });
    return;
  }
  const middle = (box) => box.x + box.w / 2;
  const sign = /Up|Left/.test(key) ? -1 : 1;
  let candidates;
  if (/Up|Down/.test(key)) {
    const [near, far] = sign < 0 ? ["to", "from"] : ["from", "to"];
    candidates = scene.edges.filter((edge) => edge[near] === state.selected).map((edge) => boxOf(edge[far])).filter(Boolean);
    if (!candidates.length) candidates = scene.boxes.filter((box) => (sign < 0 ? box.y + box.h <= from.y : box.y >= from.y + from.h));
  } else {
    candidates = scene.boxes.filter((box) => box.y < from.y + from.h && box.y + box.h > from.y && sign * (middle(box) - middle(from)) > 1);
  }
  const best = least(candidates, (box) => Math.abs(middle(box) - middle(from)) + Math.abs(box.y - from.y));
  if (!best) return;
  select(best.entry);
  if (!isInView(best)) centerOn(best.entry);
}

function isInView(box) {
  const { x, y, w, h, scale } = viewArea();
  return box.x > x + 10 / scale && box.y > y + 40 / scale && box.x + box.w < x + w - 10 / scale && box.y + box.h < y + h - 10 / scale;
}

function nextTheme() {
  state.theme = palette.isDark ? "light" : "dark";
  refreshColours();
}

/** Draw everything again in the colours of the theme. */
function refreshColours() {
  applyTheme(state.theme);
  fillTable();
  showDetails();
  changed();
}

function showHelp() {
  const rows = KEYS.map(([key, text]) => make("tr", make("td", make("kbd", key)), make("td", text)));
  const examples = ["conv", "op=Conv2D shape=?,*,64", "attr.strides=2", "Conv2D -> Relu", "upstream of NAME within 3", "path A to B", "not op=Const"];
  help.replaceChildren(make("h2", "Keys"), make("table", ...rows), make("h2", "Search"),
    make("pre", ...withLines(examples.join("\n"))), button("", "Close", () => help.close()));
  help.showModal();
}

function listenToKeys() {
  onKeys(page, Object.assign({}, ...KEYS.map(([, , actions]) => actions)));
  const act = page.onkeydown;
  page.onkeydown = (event) => {
    const isForBrowser = event.target.matches("input, textarea, select") || (event.key === "Enter" && event.target.matches("button, summary"));
    if (!document.querySelector("dialog[open]") && !isForBrowser && (state.tab === "graph" || !event.key.startsWith("Arrow"))) act(event);
  };
}
