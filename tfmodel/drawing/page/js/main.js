// Start the page.

async function start() {
  await readModel();
  buildTree();
  const parts = readState(location.hash.slice(1));
  applyTheme(state.theme);
  makeTabs();
  makeTools();
  showState(parts);
  listenToSearch();
  listenToOutline();
  listenToPicture();
  listenToMenu();
  listenToFolds();
  listenToKeys();
  listenToPicker();
  window.onhashchange = followLink;
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) matchMedia(query).onchange = refreshColours;
  matchMedia("print").onchange = ({ matches }) => showOnPaper(matches);
}

/** Show the whole drawing, in the colours for paper; and afterwards again what was in view. */
function showOnPaper(isPrinted) {
  applyTheme(isPrinted ? "light" : state.theme);
  if (isPrinted) {
    showOnPaper.camera = state.camera;
    fitAll();
  } else state.camera = showOnPaper.camera;
  drawView();
}

function makeTools() {
  const ofPicture = [
    ["−", "zoom out", () => zoomCentre(0.8)], ["+", "zoom in", () => zoomCentre(1.25)], ["fit", "fit all", fitAll],
    ["− level", "fold one level", foldLevel], ["+ level", "open one level", openLevel], ["all", "open all", () => openAll(rootOf(state.body))],
    ["SVG", "save the picture as SVG", saveSvg], ["PNG", "save the picture as PNG", savePng],
  ];
  const tool = (selector) => ([text, title, act]) => set(button(selector, text, act), { title, "aria-label": title });
  byId("tools").append(...ofPicture.map(tool(".of-picture")), ...[["◐", "light or dark", nextTheme], ["?", "help", showHelp]].map(tool("")));
}

// For tests, which run in the page: the parts that they check. A page has no secrets, and nothing else reads this.
globalThis.tfmodelPage = {
  layoutLayers, layersOf, findNodes, svgText, state, toggle, select, selectNode, showTab, showBody, search, paint, litEntries, edgeSide, npyBytes, showValues,
  get scene() { return scene; }, get isMoving() { return motion !== null; }, get model() { return model; }, get tree() { return tree; },
  get palette() { return palette; },
  ready: start().catch((error) => {
    canvas.replaceWith(make("pre", `This page cannot be shown: ${error.message}`));
    throw error;
  }),
};
