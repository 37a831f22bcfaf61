// Evaluate a query on the nodes of the graph and of all functions, as tfmodel/reports/query_matching.py does.
//
// A set of nodes is a Uint8Array of all nodes. Arguments, results and missing nodes match nothing.

/** Return the nodes that match a query, in the order of the graph and its functions. */
function findNodes(text) {
  return membersOf(selectNodes(parseQuery(text)));
}

function membersOf(set) {
  const nodes = [];
  for (let i = 0; i < set.length; i++) if (set[i]) nodes.push(i);
  return nodes;
}

const union = (sets) => sets.reduce((all, set) => all.map((is, i) => is | set[i]));
const intersection = (sets) => sets.reduce((all, set) => all.map((is, i) => is & set[i]));

function selectNodes(query, candidates = model.isSearched) {
  switch (query.kind) {
    case "compare": return compareNodes(query, candidates);
    case "not": {
      const set = selectNodes(query.query, candidates);
      return candidates.map((is, i) => is & ~set[i]);
    }
    case "both": return query.queries.reduce((set, part) => selectNodes(part, set), candidates);
    case "either": return union(query.queries.map((part) => selectNodes(part, candidates)));
    case "chain": return intersection([candidates, union(chainSteps(query))]);
    case "near": return intersection([candidates, reach(selectNodes(query.of), query.isUpstream, query.within)]);
    default: {
      const starts = selectNodes(query.start), ends = selectNodes(query.end);
      return intersection([candidates, union([starts, reach(starts, false)]), union([ends, reach(ends, true)])]);
    }
  }
}

/** Return the nodes that lead to the start, or that it leads to, at least one edge away. */
function reach(start, isUpstream, within = Infinity) {
  const reached = flags(model.count);
  let level = membersOf(start);
  for (let distance = 0; level.length && distance < within; distance++) {
    const next = [];
    for (const node of level) {
      for (const edge of isUpstream ? edgesTo(node) : edgesFrom(node)) {
        const other = isUpstream ? model.from[edge] : model.to[edge];
        if (reached[other] || !model.isReal[other]) continue;
        reached[other] = 1;
        next.push(other);
      }
    }
    level = next;
  }
  return reached;
}

/** Return the nodes of each step of a pattern that are part of a match. */
function chainSteps(query) {
  const steps = query.steps.map((step) => selectNodes(step));
  const giversOf = (node) => [...edgesTo(node)].filter((edge) => !isControl(edge)).map((edge) => model.from[edge]);
  for (let k = 1; k < steps.length; k++) {
    steps[k] = steps[k].map((is, i) => is && giversOf(i).some((giver) => steps[k - 1][giver]));
  }
  for (let k = steps.length - 1; k > 0; k--) {
    const giving = flags(model.count);
    for (const giver of membersOf(steps[k]).flatMap(giversOf)) giving[giver] = 1;
    steps[k - 1] = intersection([steps[k - 1], giving]);
  }
  return steps;
}

// --- tests -------------------------------------------------------------------------------------------------------------

const COMPARE = {
  "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  ">": (a, b) => a > b, ">=": (a, b) => a >= b,
};

function compareNodes(query, candidates) {
  const [key, test] = query.field.startsWith("attr.") ? attributeTest(query) : fieldTest(query);
  const known = new Map();  // many nodes share the value that is tested
  return candidates.map((is, i) => {
    if (!is || !key) return is && test(i);
    if (!known.has(key[i])) known.set(key[i], test(i));
    return known.get(key[i]);
  });
}

const isKnown = (number) => number >= 0;
const countWhere = (edges, test) => edges.reduce((count, edge) => count + test(edge), 0);

/** The values of a field, and the name of the column that they depend on if many nodes share them. */
const VALUES = {
  name: [null, (i) => [model.names[i]]],
  op: ["op", (i) => [opOf(i)]],
  function: ["bodyOf", (i) => [model.bodies[model.bodyOf[i]].name]],
  device: ["device", (i) => [model.devices[model.device[i]]]],
  input: [null, (i) => [...edgesTo(i)].map((edge) => model.names[model.from[edge]])],
  dtype: ["output", (i) => recordOf(i)[0].filter(Boolean)],
  shape: ["output", (i) => recordOf(i)[2]],
  size: ["output", (i) => [recordOf(i)[3]].filter(isKnown)],
  outputs: ["output", (i) => [recordOf(i)[4]].filter(isKnown)],
  inputs: [null, (i) => [countWhere(edgesTo(i), (edge) => !isControl(edge))]],
  controls: [null, (i) => [countWhere(edgesTo(i), isControl)]],
  consumers: [null, (i) => [countWhere(edgesFrom(i), (edge) => model.isReal[model.to[edge]])]],
};

function fieldTest(query) {
  const [column, values] = VALUES[query.field];
  const isNumber = NUMBERS.has(query.field), number = isNumber && numberOf(query);
  const test = isNumber ? (value) => COMPARE[query.operator](value, number) : equality(query);
  const isUnequal = query.operator === "!=" && !isNumber;
  return [model[column], (i) => {
    const all = values(i);
    return isUnequal ? all.length > 0 && !all.some(test) : all.some(test);
  }];
}

/** Return the name of the node in "^node" or "node:1". */
const nodeName = (text) => text.replace(/^\^/, "").replace(/(?<=.):.*$/s, "");

/** Return a value of which each alternative is changed. */
const eachAlternative = ({ text }, change) => ({ text: text.split("|").map(change).join("|"), isLiteral: false });

function equality({ field, operator, value }) {
  switch (field) {
    case "name":
    case "input": return operator === "part" || value.isLiteral ? textTest(value, operator === "part") : textTest(eachAlternative(value, nodeName));
    case "dtype": return dtypeTest(value);
    case "shape": {
      const sizes = shapeOf(value.text);
      return (shape) => fitsShape(shape, sizes);
    }
    default: return textTest(value);
  }
}

const DTYPE_ALIASES = new Map([["float", "float32"], ["double", "float64"], ["half", "float16"]]);

const dtypeTest = (value) => textTest(eachAlternative(value, (one) => {
  const name = one.toLowerCase().replace(/^dt_/, "");
  return DTYPE_ALIASES.get(name) || name;
}));

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
  const test = attributeValueTest(query);
  return [model.attribute, (i) => {
    const attribute = attributesOf(i).find(([name]) => name === query.field.slice(5));
    return attribute !== undefined && test(attribute);
  }];
}

const attributesOf = (node) => model.attributes[model.attribute[node]];

function attributeValueTest(query) {
  const { operator, value } = query;
  if (operator === "has") return () => true;
  const number = numberOf(query);
  if (!["=", "!="].includes(operator)) {
    return ([, , elements]) => elements.some(([kind, element]) => /^[if]$/.test(kind) && COMPARE[operator](floatOf(element) ?? NaN, number));
  }
  const isText = textTest(value), isType = dtypeTest(value), sizes = shapeOf(value.text);
  const isEqual = ([kind, element]) => {
    switch (kind) {
      case "i": return number !== null && Number(element) === number;
      case "f": return number !== null && [number, Math.fround(number)].includes(floatOf(element));
      case "b": return value.text.toLowerCase() === String(element);
      case "type": return isType(element);
      case "shape": {
        const shape = shapeOf(element);
        return sizes !== null && shape !== null && fitsShape(shape.map((size) => (size === "?" ? null : size)), sizes);
      }
      default: return isText(element);
    }
  };
  const whole = value.text.replaceAll(" ", "");
  const equals = ([, isList, elements]) =>
    (isList && whole === `[${elements.map(([, element]) => element).join(",")}]`) || elements.some(isEqual);
  return operator === "=" ? equals : (attribute) => !equals(attribute);
}
