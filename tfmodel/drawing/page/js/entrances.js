// What the picture shows: the signatures, parts, MetaGraphs and functions of a model, in a list above it.

/** The kinds of bodies, with the titles of their groups in the list, and their own titles. */
const BODY_KINDS = {
  signature: ["Signatures", (name) => name],
  callable: ["Functions to call", (name) => name],
  inference: ["Parts", () => "inference: what computes the outputs"],
  training: ["Parts", () => "training: loss, gradients and updates"],
  graph: ["Parts", () => "whole graph"],
  function: ["Functions inside", (name) => name],
};
const MAX_FUNCTIONS = 200;
const picker = byId("entrance");

const bodiesOf = (...kinds) => [...model.bodies.keys()].filter((body) => kinds.includes(model.bodies[body].kind));

const functionsBySize = () => bodiesOf("function").sort((a, b) => model.bodies[b].real - model.bodies[a].real);

function titleOf(body) {
  const { name, kind, tags } = model.bodies[body];
  const title = kind === "graph" && bodiesOf("function").length + model.bodies.length === 1 ? model.title : BODY_KINDS[kind][1](name);
  return (kind === "function" ? "function " : "") + title + (tags ? ` (${tags})` : "");
}

/** Fill the list. Library functions are those with most nodes; the one that is shown is always there. */
function makePicker() {
  const functions = functionsBySize(), largest = new Set(functions.slice(0, MAX_FUNCTIONS)), groups = new Map();
  for (const kind of Object.keys(BODY_KINDS)) {
    for (const body of kind === "function" ? functions : bodiesOf(kind)) {
      if (kind === "function" && !largest.has(body) && body !== state.body) continue;
      const { tags, name } = model.bodies[body];
      const text = shortened(kind === "function" ? name : titleOf(body), 60) + endsText(body);
      addTo(groups, tags ? `MetaGraph ${tags}` : BODY_KINDS[kind][0], set(make("option", text), { value: body }));
    }
  }
  picker.replaceChildren(...[...groups].map(([title, options]) => set(make("optgroup", ...options), { label: visible(title) })));
  byId("crumbs").hidden = model.bodies.length < 2;
}

/** Return the inputs and outputs of a signature as "(x, y → z)". */
function endsText(body) {
  const { inputs, outputs, kind } = model.bodies[body];
  if (!inputs || kind === "training") return "";
  const [from, to] = [inputs, outputs].map((nodes) => nodes.map((node) => model.labels[tree.entryOf[node]]).join(", "));
  return `   (${shortened(from, 30)} → ${shortened(to, 30)})`;
}

function refreshPicker() {
  if (![...picker.options].some((option) => Number(option.value) === state.body)) makePicker();
  picker.value = state.body;
  byId("middle").setAttribute("aria-label", visible(titleOf(state.body)));
}

function listenToPicker() {
  picker.onchange = () => showBody(Number(picker.value));
}
