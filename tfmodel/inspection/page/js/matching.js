// Evaluate a query on the nodes of the graph and of all functions, as tfmodel/inspection/query_matching.py does.
//
// A set of nodes is a Uint8Array of all nodes. Arguments, results and missing nodes match nothing.

/** Return the nodes that match a query, in the order of the graph and its functions. */
function findNodes(text) {
  const set = selectNodes(parseQuery(text), model.isReal);
  const nodes = [];
  for (let i = 0; i < model.count; i++) if (set[i]) nodes.push(i);
  return nodes;
}

function selectNodes(query, candidates) {
  const intersect = (set) => set.map((is, i) => is & candidates[i]);
  switch (query.kind) {
    case "compare": return compareNodes(query, candidates);
    case "not": {
      const set = selectNodes(query.query, candidates);
      return candidates.map((is, i) => is & ~set[i] & 1);
    }
    case "both": return query.queries.reduce((set, part) => selectNodes(part, set), candidates);
    case "either": {
      const result = new Uint8Array(model.count);
      for (const part of query.queries) selectNodes(part, candidates).forEach((is, i) => { result[i] |= is; });
      return result;
    }
    case "chain": {
      const result = new Uint8Array(model.count);
      for (const step of chainSteps(query)) step.forEach((is, i) => { result[i] |= is; });
      return intersect(result);
    }
    case "near": return intersect(reach(selectNodes(query.of, model.isReal), query.isUpstream, query.within));
    default: {
      const starts = selectNodes(query.start, model.isReal), ends = selectNodes(query.end, model.isReal);
      const after = reach(starts, false), before = reach(ends, true);
      return candidates.map((is, i) => is & (starts[i] | after[i]) & (ends[i] | before[i]));
    }
  }
}

/** Return the nodes that lead to the start, or that it leads to, at least one edge away. */
function reach(start, isUpstream, within = Infinity) {
  const reached = new Uint8Array(model.count);
  let level = [];
  start.forEach((is, i) => { if (is) level.push(i); });
  for (let distance = 0; level.length && distance < within; distance++) {
    const next = [];
    for (const node of level) {
      for (const other of isUpstream ? sourcesOf(node) : consumersOf(node)) {
        if (reached[other] || !model.isReal[other]) continue;
        reached[other] = 1;
        next.push(other);
      }
    }
    level = next;
  }
  return reached;
}

function* sourcesOf(node) {
  for (let e = model.first[node]; e < model.first[node + 1]; e++) yield model.from[e];
}

function* consumersOf(node) {
  for (let k = model.firstUse[node]; k < model.firstUse[node + 1]; k++) yield model.to[model.uses[k]];
}

/** Return the nodes of each step of a pattern that are part of a match. */
function chainSteps(query) {
  const steps = query.steps.map((step) => selectNodes(step, model.isReal));
  const givers = (node) => {
    const result = [];
    for (let e = model.first[node]; e < model.first[node + 1]; e++) if (model.port[e] >= 0) result.push(model.from[e]);
    return result;
  };
  for (let k = 1; k < steps.length; k++) {
    steps[k] = steps[k].map((is, i) => (is && givers(i).some((giver) => steps[k - 1][giver]) ? 1 : 0));
  }
  for (let k = steps.length - 2; k >= 0; k--) {
    const giving = new Uint8Array(model.count);
    steps[k + 1].forEach((is, i) => { if (is) for (const giver of givers(i)) giving[giver] = 1; });
    steps[k] = steps[k].map((is, i) => is & giving[i]);
  }
  return steps;
}

// --- tests -------------------------------------------------------------------------------------------------------------

const COMPARE = {
  "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  ">": (a, b) => a > b, ">=": (a, b) => a >= b,
};

function compareNodes(query, candidates) {
  const { field } = query;
  const [key, test] = field.startsWith("attr.") ? attributeTest(query) : fieldTest(query);
  const known = new Map();  // many nodes share the value that is tested
  return candidates.map((is, i) => {
    if (!is) return 0;
    const shared = key ? key(i) : i;
    let result = key ? known.get(shared) : undefined;
    if (result === undefined) {
      result = test(i) ? 1 : 0;
      if (key) known.set(shared, result);
    }
    return result;
  });
}

const recordOf = (i) => (model.output[i] < 0 ? [[], [], [], -1, -1] : model.outputRecords[model.output[i]]);

/** The values of a field, and what they depend on if many nodes share it. */
const VALUES = {
  name: [null, (i) => [model.names[i]]],
  op: [(i) => model.op[i], (i) => [opOf(i)]],
  function: [(i) => model.bodyOf[i], (i) => [model.bodies[model.bodyOf[i]].name]],
  device: [(i) => model.device[i], (i) => [model.devices[model.device[i]]]],
  input: [null, (i) => [...sourcesOf(i)].map((source) => model.names[source])],
  dtype: [(i) => model.output[i], (i) => recordOf(i)[0].filter(Boolean)],
  shape: [(i) => model.output[i], (i) => recordOf(i)[2]],
  size: [(i) => model.output[i], (i) => (recordOf(i)[3] < 0 ? [] : [recordOf(i)[3]])],
  outputs: [(i) => model.output[i], (i) => (recordOf(i)[4] < 0 ? [] : [recordOf(i)[4]])],
  inputs: [null, (i) => [countEdges(i, false)]],
  controls: [null, (i) => [countEdges(i, true)]],
  consumers: [null, (i) => [countConsumers(i)]],
};

function countEdges(node, isControl) {
  let count = 0;
  for (let e = model.first[node]; e < model.first[node + 1]; e++) count += model.port[e] < 0 === isControl;
  return count;
}

function countConsumers(node) {
  let count = 0;
  for (const other of consumersOf(node)) count += model.isReal[other];
  return count;
}

function fieldTest(query) {
  const [key, values] = VALUES[query.field];
  if (NUMBERS.has(query.field)) {
    const number = numberOf(query), compare = COMPARE[query.operator];
    return [key, (i) => values(i).some((value) => compare(value, number))];
  }
  const test = equality(query);
  if (query.operator === "!=") {
    return [key, (i) => {
      const all = values(i);
      return all.length > 0 && !all.some(test);
    }];
  }
  if (query.field === "name") return [null, (i) => test(model.names[i])];
  return [key, (i) => values(i).some(test)];
}

/** Return the name of the node in "^node" or "node:1". */
const nodeName = (text) => text.replace(/^\^/, "").replace(/(?<=.):.*$/s, "");

function equality({ field, operator, value }) {
  switch (field) {
    case "name":
    case "input":
      if (operator === "part" || value.isLiteral) return textTest(value, operator === "part");
      return textTest({ text: value.text.split("|").map(nodeName).join("|"), isLiteral: false });
    case "dtype": return dtypeTest(value);
    case "shape": {
      const sizes = shapeOf(value.text);
      return (shape) => fitsShape(shape, sizes);
    }
    default: return textTest(value);
  }
}

const DTYPE_ALIASES = new Map([["float", "float32"], ["double", "float64"], ["half", "float16"]]);

function dtypeTest({ text }) {
  const names = text.split("|").map((one) => {
    const name = one.toLowerCase().replace(/^dt_/, "");
    return DTYPE_ALIASES.get(name) || name;
  });
  return textTest({ text: names.join("|"), isLiteral: false });
}

function fitsShape(shape, sizes) {
  const star = sizes.indexOf("*");
  if (star >= 0) {
    const back = sizes.length - star - 1;
    return shape.length >= star + back && fitsShape(shape.slice(0, star), sizes.slice(0, star)) &&
      fitsShape(shape.slice(shape.length - back), sizes.slice(star + 1));
  }
  return shape.length === sizes.length && sizes.every((size, i) => size === "?" || shape[i] === (size === -1 ? null : size));
}

function attributeTest(query) {
  const name = query.field.slice(5);
  const find = (i) => model.attributes[model.attribute[i]].find((attribute) => attribute[0] === name);
  const test = attributeValueTest(query);
  return [(i) => model.attribute[i], (i) => {
    const attribute = find(i);
    return attribute !== undefined && test(attribute);
  }];
}

function attributeValueTest(query) {
  const { operator, value } = query;
  if (operator === "has") return () => true;
  if (operator !== "=" && operator !== "!=") {
    const number = numberOf(query), compare = COMPARE[operator];
    return ([, , elements]) => elements.some(([kind, element]) => (kind === "i" || kind === "f") && compare(Number(element), number));
  }
  const number = numberOf(query), sizes = shapeOf(value.text);
  const isText = textTest(value), isType = dtypeTest(value), whole = value.text.replaceAll(" ", "");
  const isEqual = ([kind, element]) => {
    if (kind === "i") return number !== null && Number(element) === number;
    if (kind === "f") return number !== null && (Number(element) === number || Number(element) === Math.fround(number));
    if (kind === "b") return value.text.toLowerCase() === String(element);
    if (kind === "type") return isType(element);
    if (kind === "shape") {
      const shape = element.startsWith("[") ? element.slice(1, -1).split(",").filter(Boolean).map((size) => (size === "?" ? null : Number(size))) : null;
      return sizes !== null && shape !== null && fitsShape(shape, sizes);
    }
    return isText(element);
  };
  const equals = ([, isList, elements]) =>
    (isList && whole === `[${elements.map(elementText).join(",")}]`) || elements.some(isEqual);
  return operator === "=" ? equals : (attribute) => !equals(attribute);
}

/** Return the text of an element of an attribute; floats as Python writes them. */
function elementText([kind, element]) {
  if (kind !== "f" || typeof element === "string") return String(element);
  const [mantissa, exponent] = element.toExponential().split("e");
  const power = Number(exponent);
  if (element !== 0 && (power < -4 || power >= 16)) {
    return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  if (Number.isInteger(element)) return `${Object.is(element, -0) ? "-0" : element}.0`;
  const [front, back = ""] = mantissa.replace("-", "").split(".");
  return power < 0 ? `${element < 0 ? "-" : ""}0.${"0".repeat(-power - 1)}${front}${back}` : String(element);
}
