// Read the data of the page: base64 of deflate of a header in JSON and columns of int32. data.py writes them.

/** The model: the header with all tables, the columns, and what is derived from them. */
let model;

async function readModel() {
  const text = byId("data").textContent;
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < packed.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const columns = {};
  for (const [name, [place, count]] of Object.entries(header.columns)) {
    columns[name] = new Int32Array(bytes.buffer, 4 + length + place, count);
  }
  model = { ...header, ...columns, outputRecords: header.outputs };
  model.count = model.names.length;
  addEdges();
  addBodies();
  addFacts();
}

/** Derive the edges: `first[i]` to `first[i + 1]` are the inputs of node i in `from`, and the consumers likewise. */
function addEdges() {
  const { count, inputs, source = new Int32Array(0), port = new Int32Array(0) } = model;
  model.port = port;
  const first = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) first[i + 1] = first[i] + inputs[i];
  const from = new Int32Array(source.length);
  const to = new Int32Array(source.length);
  const firstUse = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) {
    for (let e = first[i]; e < first[i + 1]; e++) {
      from[e] = i - source[e];
      to[e] = i;
      firstUse[from[e] + 1]++;
    }
  }
  for (let i = 0; i < count; i++) firstUse[i + 1] += firstUse[i];
  const next = firstUse.slice();
  const uses = new Int32Array(source.length);
  for (let e = 0; e < from.length; e++) uses[next[from[e]]++] = e;
  Object.assign(model, { first, from, to, firstUse, uses });
}

/** Derive the body of each node, whether it is a real node (not an argument, a result, or missing), and what is in its box. */
function addBodies() {
  model.hosted = new Map();
  model.bodyOf = new Int32Array(model.count);
  model.isReal = new Uint8Array(model.count);
  model.bodies.forEach((body, number) => {
    for (let i = body.start; i < body.start + body.count; i++) {
      model.bodyOf[i] = number;
      model.isReal[i] = i < body.start + body.real ? 1 : 0;
      const host = i - model.host[i];
      if (host !== i) model.hosted.set(host, [...(model.hosted.get(host) || []), i]);
    }
  });
  model.calls = new Map();
  (model.caller || []).forEach((node, place) => {
    model.calls.set(node, [...(model.calls.get(node) || []), model.callee[place]]);
  });
}

/** Derive the weights by node, numbers of the overlay, and the status of nodes of a difference. */
function addFacts() {
  const numbers = new Map();
  for (let i = 0; i < model.bodies[0].count; i++) numbers.set(model.names[i], i);
  model.numberOf = numbers;
  model.weightOf = new Map();
  for (const weight of model.weights) {
    const number = numbers.get(weight.name);
    if (number !== undefined) model.weightOf.set(number, weight);
  }
  model.heat = new Map();
  if (model.overlay) {
    for (const [name, value] of Object.entries(model.overlay.values)) {
      if (numbers.has(name)) model.heat.set(numbers.get(name), value);
    }
  }
  model.status = new Map();
  if (model.difference) {
    const bodies = new Map(model.bodies.map((body, number) => [body.name, number]));
    const byBody = model.bodies.map(() => new Map());
    for (const row of model.difference.status) {
      if (bodies.has(row[0])) byBody[bodies.get(row[0])].set(row[1], row);
    }
    for (let i = 0; i < model.count; i++) {
      const row = byBody[model.bodyOf[i]].get(model.names[i]);
      if (row && model.isReal[i]) model.status.set(i, { kind: row[2], changes: row[3] });
    }
  }
}

const opOf = (node) => model.ops[model.op[node]];

/** Return the text of a node's output, such as "float32[?,224,224,3]"; empty if unknown. */
function outputText(node, place) {
  const record = model.output[node] < 0 ? null : model.outputRecords[model.output[node]];
  if (!record) return "";
  const type = record[0][place] || "";
  const shape = record[1][place];
  return type + (shape ? shapeText(shape) : "");
}

const shapeText = (shape) => `[${shape.map((size) => (size === null ? "?" : size)).join(",")}]`;

/** Return the number of the output that an edge comes from. */
function portOf(edge) {
  const text = model.ports[model.port[edge]];
  return /^(:\d+)?$/.test(text) ? Number(text.slice(1)) : 0;
}

/** Return the text of the tensor on an edge, empty if it is unknown or a control edge. */
const edgeText = (edge) => (model.port[edge] < 0 ? "" : outputText(model.from[edge], portOf(edge)));
