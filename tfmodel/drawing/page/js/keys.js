// Keys on the picture, the context menu, and the help.

/** The keys as the help shows them, what they do, and the functions by the names of the keys. */
const KEYS = [
  ["/", "search", { "/": () => queryField.focus() }],
  ["← ↑ → ↓", "along edges, and within a layer; with Shift: move the picture", Object.fromEntries(
    ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => [key, ({ shiftKey }) => (shiftKey ? pan : move)(key)]))],
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
  ["Esc", "nothing selected", { Escape: leaveAll }],
  ["?", "this help", { "?": showHelp }],
];

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

/** Close what lies over the picture; if nothing does, select nothing. */
function leaveAll() {
  if (menu.hidden && !isFolded("left") && !isFolded("right")) return choose(-1);
  menu.hidden = true;
  fold("left", false);
  fold("right", false);
}

/** Move the picture by a part of the window. */
function pan(key) {
  const { w, h } = viewArea(), sign = /Up|Left/.test(key) ? -0.2 : 0.2;
  if (/Up|Down/.test(key)) state.camera.y += sign * h;
  else state.camera.x += sign * w;
  changed();
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
    make("pre", ...withLines(examples.join("\n"))), make("h2", "Links"),
    make("p", "The address of this page has the view: it can be bookmarked and sent. #view=SIGNATURE&name=NODE opens a signature, or a function, at a node."),
    button("", "Close", () => help.close()));
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
