// What is open at first, and levels that open and fold. The first picture fits the window and can be read: scopes are
// opened only while that is so, and the others stay closed.

const READABLE = 0.75;  // the smallest scale at which text can be read: it is 9 pixels high
const FEW = 6, MANY = 30;  // boxes of the first picture; beside what stands aside
const MOST = 600;  // boxes that "open all" opens
const MAX_MISFITS = 4;  // scopes that are tried and do not fit
const AUXILIARY = 2;  // of `model.aside`: not part of what the outputs compute

/** Return the size that a drawing may have to fit the window at a scale. */
function roomAt(scale) {
  const { w, h } = viewArea(1);
  return { w: (w - 40) / scale, h: (h - 70) / scale };
}

/** How much an entry says about the model, or about the changes: a power of two, so that equal layers count the same. */
function weightOf(entry) {
  tree.weights ??= model.difference ? tree.changes : sumInside((i) => model.needed[i] * (rankOf(i) ? 1 : 101));
  return Math.ceil(Math.log2(tree.weights[entry] + 1));
}

const isAuxiliary = (entry) => model.kind[entry] === GROUP || model.aside[entry] === AUXILIARY;

/** Open the root of a body, and what says most about it, from the inputs on, while the drawing fits the window. */
function openFirst(body) {
  leaveAllCalls();
  state.body = body;
  state.open = new Set([rootOf(body)]);
  scene = layoutScene();
  const room = roomAt(READABLE), misfits = new Set();
  for (let tries = 0; tries < MAX_MISFITS;) {
    const fitting = scene, few = scene.boxes.filter(({ entry }) => !isAuxiliary(entry)).length < FEW;
    const candidates = scene.boxes.filter(({ entry }) => !misfits.has(entry) && !isAuxiliary(entry) && weightOf(entry)
      && tree.children[entry].length && scene.boxes.length + tree.children[entry].length - 1 <= MANY);
    const best = least(candidates, ({ entry, y }) => y - 1e6 * weightOf(entry))?.entry;
    if (best === undefined) break;
    if (!few && leastHeight(best) > room.h) {  // no layout is needed to know that
      misfits.add(best);
      continue;
    }
    state.open.add(best);
    scene = layoutScene();
    if (scene.width <= Math.max(room.w, fitting.width) && (few || scene.height <= room.h)) continue;
    tries++;
    misfits.add(best);
    state.open.delete(best);
    scene = fitting;
  }
}

/** Return how high the drawing is at least if a closed entry is opened: it has a layer for each box of a longest path. */
function leastHeight(entry) {
  const box = boxOf(entry), hubs = hubsOf(entry), number = new Map();
  for (const child of shownChildren(entry)) if (!hubs.has(child)) number.set(child, number.size);
  const after = emptyLists(number.size);
  for (const { from, to } of linksOf(entry)) if (number.has(from) && number.has(to)) after[number.get(from)].push([number.get(to), 1]);
  const layers = 1 + Math.max(0, ...longestPaths(after)[0]), height = TITLE + layers * (BOX_HEIGHTS[1] + LAYER_GAP) - LAYER_GAP + MARGIN;
  const beside = tree.children[tree.up[entry]].map(boxOf).filter((other) => other && other.y < box.y + box.h && other.y + other.h > box.y);
  return scene.height + Math.max(0, height - Math.max(...beside.map(({ h }) => h)));
}

/** Show a body as it opens at first. */
function showFirst(body) {
  openFirst(body);
  anchorAtInputs();
  const { w, h } = viewArea(1);
  Object.assign(showFirst, { w, h, text: pictureText() });
}

/** Return whether the picture is still the first one: no box was opened or selected, and the camera was not moved. */
const isFirst = () => showFirst.text === pictureText();

/** After a change of the window's size, show the first picture for it, if it is still shown. */
function fitWindow() {
  const { w, h } = viewArea(1);
  if (!isFirst() || (w === showFirst.w && h === showFirst.h)) return requestDraw();
  showFirst(state.body);
  refreshOutline();
}

// --- levels ------------------------------------------------------------------------------------------------------------

/** Open or fold many entries at once. What is in the middle of the view stays there. */
function changeLevels(act) {
  const { x, y, w, h } = viewArea(), distance = (box) => Math.hypot(box.x + box.w / 2 - x - w / 2, box.y + box.h / 2 - y - h / 2);
  const middle = least(scene.boxes, distance)?.entry ?? -1;
  remember();
  act();
  refresh(middle < 0 ? -1 : visibleEntry(middle));
  say(counted(scene.boxes.length, "box"));
}

/** Open closed entries, those that say most first, up to MOST boxes. */
function openAmong(entries) {
  let count = scene.boxes.length;
  const closed = entries.filter((entry) => tree.children[entry].length && !isOpen(entry) && !isAuxiliary(entry));
  for (const entry of closed.sort((a, b) => weightOf(b) - weightOf(a) || a - b)) {
    const more = shownChildren(entry).length - 1;
    if (count + more > MOST) continue;
    count += more;
    state.open.add(entry);
  }
}

const openLevel = () => changeLevels(() => openAmong(scene.boxes.map((box) => box.entry)));

/** Close the open entries in which nothing else is open. */
function foldLevel() {
  changeLevels(() => {
    const around = new Set([...state.open].map((entry) => tree.up[entry]));
    for (const entry of [...state.open]) if (!around.has(entry) && tree.up[entry] >= 0) closeEntry(entry);
  });
}

/** Open an entry and all below it, level by level, up to MOST boxes. Groups beside the computation stay closed. */
function openBelow(entry) {
  let level = [entry], count = scene.boxes.length;
  while (level.length) {
    const next = [];
    for (const current of level) {
      const children = shownChildren(current), isNew = !isOpen(current);
      if (!children.length || (isNew && count + children.length - 1 > MOST) || (current !== entry && isAuxiliary(current))) continue;
      if (isNew) count += children.length - 1;
      state.open.add(current);
      next.push(...children);
    }
    level = next;
  }
}

const openAll = (entry) => changeLevels(() => openBelow(entry));
