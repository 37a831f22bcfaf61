// The outline: the hierarchy as a tree of rows, which is also the picture for people who do not see it.

const MAX_ROWS = 400;
const unfolded = new Set();

/** Write the rows again; with `follow`, unfold and scroll to what is selected. */
function refreshOutline(follow = false) {
  const outline = byId("outline");
  const root = rootOf(state.body);
  if (follow && state.selected >= 0) for (const entry of pathTo(state.selected).slice(0, -1)) unfolded.add(entry);
  const rows = [];
  const add = (entry, level) => {
    const children = tree.children[entry].filter((child) => !state.hidden.has(child));
    children.slice(0, MAX_ROWS).forEach((child) => {
      rows.push(outlineRow(child, level));
      if (unfolded.has(child)) add(child, level + 1);
    });
    if (children.length > MAX_ROWS) rows.push(make("div", { class: "soft" }, `and ${grouped(children.length - MAX_ROWS)} more: search finds them`));
  };
  const focused = document.activeElement?.closest?.("#outline .row")?.dataset.entry;
  add(root, 1);
  outline.replaceChildren(...rows);
  const active = outline.querySelector(`[data-entry="${state.selected}"]`) || outline.querySelector(".row");
  if (active) active.tabIndex = 0;
  if (follow && active) active.scrollIntoView({ block: "nearest" });
  if (focused !== undefined) (outline.querySelector(`[data-entry="${focused}"]`) || active)?.focus({ preventScroll: true });
}

/** Write the numbers of hits into the rows. */
function refreshBadges() {
  for (const row of byId("outline").querySelectorAll("[data-entry]")) {
    row.querySelector(".badge")?.remove();
    const hits = hitsIn(row.dataset.entry);
    if (hits) row.lastChild.before(make("span", { class: "badge" }, grouped(hits)));
  }
}

/** Unfold what is open in the picture, outermost first, while there are few rows. */
function unfoldOpen() {
  const pending = [rootOf(state.body)];
  for (let rows = 0, i = 0; i < pending.length; i++) {
    const children = tree.children[pending[i]];
    rows += children.length;
    if (i && rows > 40) break;
    unfolded.add(pending[i]);
    pending.push(...children.filter((child) => state.open.has(child)));
  }
}

function outlineRow(entry, level) {
  const hasChildren = tree.children[entry].length > 0;
  const isUnfolded = unfolded.has(entry);
  const hits = shown ? hitsIn(entry) : 0;
  const status = statusOf(entry);
  const isSelected = entry === state.selected;
  const row = make("div", {
    class: `row${isSelected ? " chosen" : ""}`, role: "treeitem", tabindex: "-1", "aria-level": String(level), "data-entry": String(entry),
    "aria-expanded": hasChildren ? String(isUnfolded) : undefined, "aria-selected": String(isSelected), title: fullName(entry),
  },
  make("span", { class: "twist", "aria-hidden": "true" }, hasChildren ? (isUnfolded ? "▾" : "▸") : ""),
  coloured(entryColour(entry)),
  status ? make("span", { class: status }, SIGNS[status]) : null,
  make("span", { class: "name" }, model.labels[entry]),
  hits ? make("span", { class: "badge" }, grouped(hits)) : null,
  make("span", { class: "soft" }, hasChildren ? grouped(tree.size[entry]) : opOf(model.node[entry])));
  row.style.paddingLeft = `${(level - 1) * 14 + 2}px`;
  return row;
}

function listenToOutline() {
  const outline = byId("outline");
  outline.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row) return;
    const entry = Number(row.dataset.entry);
    if (event.target.closest(".twist")) unfold(entry, !unfolded.has(entry));
    else {
      remember();
      select(entry, { center: true });
    }
  });
  outline.addEventListener("dblclick", (event) => {
    const row = event.target.closest(".row");
    if (row) toggle(Number(row.dataset.entry));
  });
  outline.addEventListener("keydown", (event) => {
    const row = event.target.closest(".row");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = Number(row.dataset.entry);
    const rows = [...outline.querySelectorAll(".row")];
    const at = rows.indexOf(row);
    const focus = (target) => target && (rows.forEach((r) => { r.tabIndex = -1; }), target.tabIndex = 0, target.focus());
    const parent = tree.up[entry];
    switch (event.key) {
      case "ArrowDown": focus(rows[at + 1]); break;
      case "ArrowUp": focus(rows[at - 1]); break;
      case "Home": focus(rows[0]); break;
      case "End": focus(rows[rows.length - 1]); break;
      case "ArrowRight":
        if (tree.children[entry].length && !unfolded.has(entry)) unfold(entry, true);
        else focus(rows[at + 1]);
        break;
      case "ArrowLeft":
        if (unfolded.has(entry)) unfold(entry, false);
        else focus(outline.querySelector(`[data-entry="${parent}"]`));
        break;
      case " ": select(entry, { center: true }); break;
      case "Enter":
        select(entry, { center: true });
        toggle(entry);
        break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
}

function unfold(entry, isUnfolded) {
  if (isUnfolded) unfolded.add(entry);
  else unfolded.delete(entry);
  refreshOutline();
}

/** The line above the picture: the graph or function that is shown. */
function refreshCrumbs() {
  const parts = [make("button", { onclick: () => showBody(0) }, "graph")];
  if (state.body) parts.push(make("span", { class: "soft" }, "▸"), make("button", {}, `function ${shortened(model.bodies[state.body].name, 60)}`));
  byId("crumbs").replaceChildren(...parts);
  byId("crumbs").hidden = model.bodies.length < 2;
}
