// The outline: the hierarchy as a tree of rows, which is also the picture for people who do not see it.

const MAX_ROWS = 400;
const unfolded = new Set();

const rowOf = (entry) => outline.querySelector(`[data-entry="${entry}"]`);

/** Write the rows again; with `follow`, unfold and scroll to what is selected. */
function refreshOutline(follow = false) {
  if (follow) for (const entry of pathTo(state.selected).slice(0, -1)) unfolded.add(entry);
  const rows = [];
  const add = (entry, level) => {
    const children = shownChildren(entry);
    for (const child of children.slice(0, MAX_ROWS)) {
      rows.push(outlineRow(child, level));
      if (unfolded.has(child)) add(child, level + 1);
    }
    if (children.length > MAX_ROWS) rows.push(make("div.soft", `and ${grouped(children.length - MAX_ROWS)} more: search finds them`));
  };
  const focused = document.activeElement?.closest("#outline .row")?.dataset.entry;
  add(rootOf(state.body), 1);
  outline.replaceChildren(...rows);
  const active = rowOf(state.selected) || outline.querySelector(".row");
  if (active) active.tabIndex = 0;
  if (follow) active?.scrollIntoView({ block: "nearest" });
  if (focused !== undefined) (rowOf(focused) || active)?.focus({ preventScroll: true });
}

/** Write the numbers of hits into the rows. */
function refreshBadges() {
  for (const row of outline.querySelectorAll("[data-entry]")) row.querySelector(".badge").textContent = badgeText(row.dataset.entry);
}

const badgeText = (entry) => (hitsIn(entry) ? grouped(hitsIn(entry)) : "");

/** Unfold what is open in the picture, outermost first, while there are few rows. */
function unfoldOpen() {
  const pending = [rootOf(state.body)];
  let rows = 0;
  for (const entry of pending) {
    rows += tree.children[entry].length;
    if (tree.up[entry] >= 0 && rows > 40) break;
    unfolded.add(entry);
    pending.push(...tree.children[entry].filter((child) => isOpen(child)));
  }
}

function outlineRow(entry, level) {
  const hasChildren = tree.children[entry].length > 0, isUnfolded = unfolded.has(entry), isSelected = entry === state.selected;
  const status = statusOf(entry);
  const row = make(`div.row${isSelected ? ".chosen" : ""}`,
    set(make("span.twist", hasChildren ? (isUnfolded ? "▾" : "▸") : ""), { "aria-hidden": true }),
    coloured(entryColour(entry)),
    status ? make(`span.${status}`, SIGNS[status]) : null,
    make("span.name", model.labels[entry]),
    make("span.badge", badgeText(entry)),
    make("span.soft", hasChildren ? grouped(tree.size[entry]) : opOf(model.node[entry])));
  row.style.paddingLeft = `${(level - 1) * 14 + 2}px`;
  return set(row, {
    role: "treeitem", tabindex: -1, "aria-level": level, "data-entry": entry, "aria-selected": isSelected, title: fullName(entry),
    ...(hasChildren ? { "aria-expanded": isUnfolded } : {}),
  });
}

function listenToOutline() {
  const rowAt = (event) => event.target.closest(".row");
  const onEntry = (act) => (event) => rowAt(event) && act(Number(rowAt(event).dataset.entry), event);
  const chooseRow = (entry) => {
    fold("left", false);
    select(entry, { center: true });
  };
  const focus = (row) => {
    if (!row) return;
    for (const other of outline.querySelectorAll(".row")) other.tabIndex = other === row ? 0 : -1;
    row.focus();
  };
  outline.onclick = onEntry((entry, event) => {
    if (event.target.closest(".twist")) unfold(entry, !unfolded.has(entry));
    else {
      remember();
      chooseRow(entry);
    }
  });
  outline.ondblclick = onEntry(toggle);
  const rowBeside = (event, step) => {
    const rows = [...outline.querySelectorAll(".row")];
    return rows[rows.indexOf(rowAt(event)) + step];
  };
  onKeys(outline, {
    ArrowDown: (event) => focus(rowBeside(event, 1)),
    ArrowUp: (event) => focus(rowBeside(event, -1)),
    Home: () => focus(outline.firstChild),
    End: () => focus([...outline.querySelectorAll(".row")].at(-1)),
    ArrowRight: onEntry((entry, event) => {
      if (tree.children[entry].length && !unfolded.has(entry)) unfold(entry, true);
      else focus(rowBeside(event, 1));
    }),
    ArrowLeft: onEntry((entry) => {
      if (unfolded.has(entry)) unfold(entry, false);
      else focus(rowOf(tree.up[entry]));
    }),
    " ": onEntry(chooseRow),
    Enter: onEntry((entry) => {
      chooseRow(entry);
      toggle(entry);
    }),
  });
}

function unfold(entry, isUnfolded) {
  if (isUnfolded) unfolded.add(entry);
  else unfolded.delete(entry);
  refreshOutline();
}
