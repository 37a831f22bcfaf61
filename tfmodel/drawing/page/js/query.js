// The language of `tfmodel find`: lexer and parser. The grammar stands in tfmodel/reports/query.py; a test compares
// what both find. A query is an object with a `kind`: compare, not, both, either, chain, near or path.

const FIELDS = ["name", "op", "function", "device", "input", "dtype", "shape", "size", "inputs", "controls", "outputs", "consumers"];
const NUMBERS = new Set(FIELDS.slice(7));
const KEYWORDS = new Set(["and", "or", "not", "upstream", "downstream", "path", "of", "to", "within"]);
const MAX_QUERY_DEPTH = 50, MAX_QUERY_LENGTH = 20000;

class QueryError extends Error {}

/** Return the query that a text means. Throws a QueryError that says what is wrong. */
function parseQuery(text) {
  if (text.length > MAX_QUERY_LENGTH) throw new QueryError("the query is too long");
  const tokens = [], opened = [], closing = new Map();
  let place = 0, depth = 0;
  const pattern = /\s*(?:(->|[()])|((?:"(?:[^"\\]|\\.)*"|(?!->)[^\s()"])+)|(\S))/gu;
  for (const [, mark, word, wrong] of text.matchAll(pattern)) {
    if (wrong) throw new QueryError(wrong === '"' ? "this quote has no end" : `unexpected ${wrong}`);
    if (mark === "(") opened.push(tokens.length);
    else if (mark === ")" && opened.length) closing.set(opened.pop(), tokens.length);
    tokens.push({ kind: mark || "word", text: mark || word });
  }
  tokens.push({ kind: "end", text: "" });
  const query = either("part");
  if (next().kind === ")") fail("this parenthesis was not opened");
  return query;

  function next() { return tokens[place]; }

  function fail(problem) { throw new QueryError(`${problem}${next().text ? ` at “${next().text}”` : " at the end"}`); }

  function isKeyword(word) { return next().kind === "word" && next().text === word; }

  /** Go past a word, or a mark, if it is the next one. */
  function takes(text) {
    const isNext = isKeyword(text) || next().kind === text;
    if (isNext) place++;
    return isNext;
  }

  function needs(word) {
    if (!takes(word)) fail(`expected "${word}"`);
  }

  /** Return what `parse` does, inside of one more parenthesis or "not". */
  function inside(parse) {
    if (++depth > MAX_QUERY_DEPTH) fail('too many parentheses and "not" in each other');
    const query = parse();
    depth--;
    return query;
  }

  function either(meaning) {
    const queries = [];
    do queries.push(both(meaning)); while (takes("or"));
    if (next().kind === "->") fail('put what is before "->" into parentheses');
    return queries.length === 1 ? queries[0] : { kind: "either", queries };
  }

  function both(meaning) {
    const queries = [];
    do {
      if (queries.length) takes("and");
      queries.push(one(meaning));
    } while (["word", "("].includes(next().kind) && !isKeyword("or"));
    return queries.length === 1 ? queries[0] : { kind: "both", queries };
  }

  function one(meaning) {
    if (takes("not")) return { kind: "not", query: inside(() => one(meaning)) };
    if (takes("upstream")) return near(true);
    if (takes("downstream")) return near(false);
    if (takes("path")) {
      const start = item("name");
      needs("to");
      return { kind: "path", start, end: item("name") };
    }
    const last = next().kind === "(" ? closing.get(place) : place;
    if (tokens[last + 1]?.kind !== "->") return item(meaning);
    const steps = [];
    do steps.push(item("op")); while (takes("->"));
    return { kind: "chain", steps };
  }

  function near(isUpstream) {
    needs("of");
    const query = { kind: "near", of: item("name"), isUpstream, within: Infinity };
    if (!takes("within")) return query;
    query.within = /^\d{1,9}$/.test(next().text) ? Number(next().text) : 0;
    if (!query.within) fail('expected a number of edges after "within", 1 or more');
    place++;
    return query;
  }

  function item(meaning) {
    if (next().kind === "(") {
      if (!closing.has(place)) fail("this parenthesis is not closed");
      place++;
      const query = inside(() => either(meaning));
      place++;
      return query;
    }
    const { kind, text } = next();
    if (kind !== "word" || KEYWORDS.has(text)) fail("expected a word; to search for a name, quote it");
    place++;
    const [field, operator] = meaning === "part" ? ["name", "part"] : [meaning, "="];
    const test = comparison(text);
    if (!test && /[=<!~&;,{}[\]^%$@#+'`]/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ""))) fail("expected a word: quote it");
    return test || { kind: "compare", field, operator, value: unquoted(text) };
  }

  function comparison(raw) {
    const match = /^([A-Za-z_]+(?:\.[^\s=<>!"]*)?)(!=|<=|>=|=|<|>)([^]*)$/.exec(raw);
    const isAttribute = (field) => field.startsWith("attr.") && field.length > 5;
    const odd = /^(attr\.\w+|[a-z]+)(?!:\d+$)(?!([!<>]?=|[<>])(?![=~<>!:&^%]))[=~<>!:&^%]/.exec(raw)?.[1] ?? "";
    if (FIELDS.includes(odd) || isAttribute(odd)) fail("there is no such operator");
    if (!match) return isAttribute(raw) ? { kind: "compare", field: raw, operator: "has", value: unquoted("") } : null;
    const [, field, operator, value] = match;
    if (!FIELDS.includes(field) && !isAttribute(field)) fail(`there is no field "${field}"; the fields are ${FIELDS.join(", ")} and attr.NAME`);
    if (!value && field !== "function") fail(`expected a value after ${field}${operator}`);
    const query = { kind: "compare", field, operator, value: unquoted(value) };
    const isNumber = NUMBERS.has(field);
    if (isNumber || !["=", "!="].includes(operator)) {
      if (!isNumber && !isAttribute(field)) fail(`${field} is not a number: compare it with = or !=`);
      if (numberOf(query) === null) fail(`"${query.value.text}" is not a number`);
    } else if (field === "shape" && !shapeOf(query.value.text)) {
      fail(`"${query.value.text}" is not a shape such as ?,224,224,3, or *,3, or [] for a scalar`);
    }
    return query;
  }
}

/** Return a word without its quotes; `isLiteral` says that it had some, so that it has no wildcards. */
function unquoted(raw) {
  if (/^(\|[^"]*|[^"]*\|(\|[^"]*)?)$/.test(raw)) throw new QueryError("an empty alternative");
  const text = raw.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inside) => inside.replace(/\\(.)/g, "$1"));
  return { text, isLiteral: raw.includes('"') };
}

/** Return the number that a field is compared with, or null. Fields of nodes may have suffixes such as k, M or Gi. */
function numberOf({ field, value }) {
  if (NUMBERS.has(field)) {
    const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?$/i.exec(value.text.trim());
    if (!match || (match[3] && !match[2])) return null;
    return Math.trunc(Number(match[1]) * (match[3] ? 1024 : 1000) ** " kmgt".indexOf((match[2] || " ").toLowerCase()));
  }
  return floatOf(value.text.slice(0, 40).trim().replace(/(?<=\d)_(?=\d)/g, ""));
}

/** Return the number that a text is, as Python writes it, or null. */
function floatOf(text) {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

/** Return the sizes of a shape, numbers, "?" or "*"; null for any other text. */
function shapeOf(text) {
  const sizes = text.replace(/^\[|\]$/g, "").replaceAll("...", "*");
  const parts = sizes.trim() ? sizes.split(",").map((part) => part.trim()) : [];
  if (!parts.every((part) => /^([?*]|-1|[0-9]{1,18})$/.test(part)) || parts.filter((part) => part === "*").length > 1) return null;
  return parts.map((part) => (/[?*]/.test(part) ? part : Number(part)));
}

const escapePattern = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Return the function that tests a text: with wildcards and alternatives; with `isPart`, anywhere and in any case. */
function textTest({ text, isLiteral }, isPart = false) {
  const isWild = (one) => !isLiteral && /[*?]/.test(one);
  const parts = isLiteral ? [text] : text.split("|"), flags = isPart ? "iu" : "u";
  if (isPart && !isWild(text)) {  // much faster
    const pattern = new RegExp(parts.map(escapePattern).join("|"), flags);
    return (value) => pattern.test(value);
  }
  const tests = parts.map((one) => {
    const pieces = isWild(one) ? one.split("*") : isPart ? ["", one, ""] : [one];
    return starTest(pieces.map((piece) => (isWild(one) ? escapePattern(piece).replaceAll("\\?", "[^]") : escapePattern(piece))), flags);
  });
  return (value) => tests.some((test) => test(value));
}

/** Return the function that finds pieces one behind the other. One pattern with many "*" could take years instead. */
function starTest(pieces, flags) {
  const last = pieces.length - 1;
  const patterns = pieces.map((piece, i) => new RegExp(i === last ? `(?:${piece})$` : piece, flags + (i ? "g" : "y")));
  return (value) => {
    let end = 0;
    return patterns.every((pattern) => {
      pattern.lastIndex = end;
      const isFound = pattern.test(value);
      end = pattern.lastIndex;
      return isFound;
    });
  };
}
