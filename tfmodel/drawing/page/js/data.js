// Read the data of the page: base64 of deflate of a header in JSON and columns of int32. data.py writes them.

/** The model: the header with all tables, the columns, and what is derived from them. */
let model;

async function readModel() {
  const binary = atob(byId("data").textContent);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < packed.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const { buffer } = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(buffer).getUint32(0, true);
  model = { source: zeros(0), port: zeros(0), caller: [] };
  Object.assign(model, JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))));
  for (const [name, [place, count]] of Object.entries(model.columns)) {
    model[name] = new Int32Array(buffer, 4 + length + place, count);
  }
  model.carried = { buffer, at: 4 + length + model.values };
  model.count = model.names.length;
  addEdges();
  addBodies();
  addCopies();
  model.weightOf = new Map(model.weights.map((weight) => [weight.node, weight]));
  model.heat = new Map(model.overlay?.values);
  model.status = new Map(model.difference?.status.map(([node, kind, changes]) => [node, { kind, changes }]));
}

/** Derive the edges: `first[i]` to `first[i + 1]` are the inputs of node i in `from`, and the consumers likewise. */
function addEdges() {
  const { count, inputs, source } = model;
  const first = zeros(count + 1), firstUse = zeros(count + 1);
  const from = zeros(source.length), to = from.slice(), uses = from.slice();
  for (let i = 0; i < count; i++) {
    first[i + 1] = first[i] + inputs[i];
    for (let e = first[i]; e < first[i + 1]; e++) {
      from[e] = i - source[e];
      to[e] = i;
      firstUse[from[e] + 1]++;
    }
  }
  for (let i = 0; i < count; i++) firstUse[i + 1] += firstUse[i];
  const next = firstUse.slice();
  for (let e = 0; e < from.length; e++) uses[next[from[e]]++] = e;
  Object.assign(model, { first, from, to, firstUse, uses, edges: from.map((_, e) => e) });
}

/** Derive the body of each node, whether it is a real node (not an argument, a result, or missing), and what is in its box. */
function addBodies() {
  model.hosted = new Map();
  model.bodyOf = zeros(model.count);
  model.isReal = flags(model.count);
  model.bodies.forEach((body, number) => {
    model.bodyOf.fill(number, body.start, body.start + body.count);
    model.isReal.fill(1, body.start, body.start + body.real);
  });
  model.host.forEach((distance, i) => { if (distance) addTo(model.hosted, i - distance, i); });
  for (const { outputs } of model.bodies) for (const node of outputs || []) model.isReal[node] = 0;
  model.calls = new Map();
  model.caller.forEach((node, place) => addTo(model.calls, node, model.callee[place]));
}

/** Name the nodes of entrances that are copies of others, and list the copies of each; a search finds the originals. */
function addCopies() {
  model.copies = new Map();
  model.isSearched = model.isReal.slice();
  for (const { start, count, tags } of model.bodies) if (tags === "") model.isSearched.fill(0, start, start + count);
  model.copy.forEach((distance, i) => {
    if (!distance) return;
    model.names[i] = model.names[i - distance];
    addTo(model.copies, i - distance, i);
  });
}

/** The node of the model that a node of an entrance is a copy of; other nodes themselves. */
const originOf = (node) => node - model.copy[node];
const weightIn = (node) => model.weightOf.get(originOf(node));

/** Return the node that stands for a node of the model where it is seen best: in what is shown now, else in an entrance. */
function shownAs(node) {
  if (model.bodyOf[node] === state.body) return node;
  const copies = model.copies.get(originOf(node)) || [];
  return copies.find((copy) => model.bodyOf[copy] === state.body) ?? (model.bodies[model.bodyOf[node]].kind === "function" ? copies[0] : undefined) ?? node;
}

/** The edges to a node, in the order of its inputs; and those from it. */
const edgesTo = (node) => model.edges.subarray(model.first[node], model.first[node + 1]);
const edgesFrom = (node) => model.uses.subarray(model.firstUse[node], model.firstUse[node + 1]);

const isControl = (edge) => model.port[edge] < 0;
const hostedIn = (node) => model.hosted.get(node) || [];
const callsOf = (node) => model.calls.get(node) || [];
const nameOf = (node) => model.names[node];
const opOf = (node) => model.ops[model.op[node]];
const rankOf = (node) => model.family[model.op[node]];

/** Return the record of a node's outputs: types, common shapes, all shapes, bytes, count. */
const recordOf = (node) => model.outputs[model.output[node]] || [[], [], [], -1, -1];

/** Return the text of a node's output, such as "float32[?,224,224,3]"; empty if unknown. */
function outputText(node, place) {
  const [types, shapes] = recordOf(node);
  return (types[place] || "") + shapeText(shapes[place]);
}

const shapeText = (shape) => (shape ? `[${shape.map((size) => size ?? "?").join(",")}]` : "");

/** Return the number of elements of a shape; 0 if it is unknown. */
const elementsOf = (shape) => (shape ? shape.reduce((product, size) => product * size, 1) : 0);

/** Return the text of the tensor on an edge, empty if it is unknown or a control edge. */
const edgeText = (edge) => (isControl(edge) ? "" : outputText(model.from[edge], model.port[edge]));
