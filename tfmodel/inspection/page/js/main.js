// Start the page.

async function start() {
  await readModel();
  buildTree();
  state.tab = model.tab;
  state.body = model.difference ? 0 : mainBody();
  state.open = firstOpen(rootOf(state.body));
  const hash = location.hash.slice(1);
  const parts = hash ? readState(hash) : new URLSearchParams();
  applyTheme(state.theme);
  scene = layoutScene(rootOf(state.body), state.open, state.hidden, state.aside);
  if (!parts.has("at")) anchorAtInputs();
  requestDraw();
  makeTabs();
  makeTools();
  byId("query").value = state.query;
  if (state.query) search(state.query);
  unfoldOpen();
  refreshOutline(state.selected >= 0);
  refreshCrumbs();
  showDetails();
  showTab(parts.get("tab") || state.tab);
  listenToSearch();
  listenToOutline();
  listenToPicture();
  listenToKeys();
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", refreshColours);
  }
  matchMedia("print").addEventListener("change", ({ matches }) => {
    applyTheme(matches ? "light" : state.theme);
    drawView();
  });
}

function makeTools() {
  const tools = [
    ["−", "zoom out", () => zoomCentre(0.8)], ["+", "zoom in", () => zoomCentre(1.25)], ["fit", "fit all", fitAll],
    ["SVG", "save the picture as SVG", saveSvg], ["PNG", "save the picture as PNG", savePng],
    ["◐", "light or dark", nextTheme], ["?", "help", showHelp],
  ];
  byId("tools").replaceChildren(...tools.map(([text, title, act]) => make("button", { title, "aria-label": title, onclick: act }, text)));
}

// For tests, which run in the page: the parts that they check. A page has no secrets, and nothing else reads this.
globalThis.tfmodelPage = {
  layoutLayers, layersOf, findNodes, svgText, state, toggle, select, selectNode, showTab, showBody, search,
  get scene() { return scene; }, get isMoving() { return motion !== null; }, get model() { return model; }, get tree() { return tree; },
  get palette() { return palette; },
  ready: start().catch((error) => {
    byId("canvas").replaceWith(make("pre", {}, `This page cannot be shown: ${error.message}`));
    throw error;
  }),
};
