// The language of `tfmodel find`: lexer and parser. The grammar stands in tfmodel/inspection/query.py; a test compares
// what both find. A query is an object with a `kind`: compare, not, both, either, chain, near or path.

const FIELDS = ["name", "op", "function", "device", "input", "dtype", "shape", "size", "inputs", "controls", "outputs", "consumers"];
const NUMBERS = new Set(["size", "inputs", "controls", "outputs", "consumers"]);
const KEYWORDS = new Set(["and", "or", "not", "upstream", "downstream", "path", "of", "to", "within"]);
const MAX_QUERY_DEPTH = 50, MAX_QUERY_LENGTH = 100000;

class QueryError extends Error {}

function parseQuery(text) {
  return new QueryParser(text).parse();
}

class QueryParser {
  constructor(text) {
    if (text.length > MAX_QUERY_LENGTH) throw new QueryError("the query is too long");
    this.tokens = [];
    const pattern = /\s*(?:(->)|([()])|((?:"(?:[^"\\]|\\.)*"|(?!->)[^\s()"])+)|(\S))/gu;
    for (const match of text.matchAll(pattern)) {
      if (match[4]) throw new QueryError(match[4] === '"' ? "this quote has no end" : `unexpected ${match[4]}`);
      this.tokens.push({ kind: match[1] || match[2] || "word", text: match[1] || match[2] || match[3] });
    }
    this.tokens.push({ kind: "end", text: "" });
    this.place = 0;
    this.depth = 0;
    this.closing = new Map();
    const opened = [];
    this.tokens.forEach((token, place) => {
      if (token.kind === "(") opened.push(place);
      else if (token.kind === ")" && opened.length) this.closing.set(opened.pop(), place);
    });
  }

  get next() { return this.tokens[this.place]; }

  isKeyword(...words) { return this.next.kind === "word" && words.includes(this.next.text); }

  fail(problem) { throw new QueryError(`${problem}${this.next.text ? ` at “${this.next.text}”` : " at the end"}`); }

  enter() { if (++this.depth > MAX_QUERY_DEPTH) this.fail('too many parentheses and "not" in each other'); }

  parse() {
    const query = this.either("part");
    if (this.next.kind === ")") this.fail("this parenthesis was not opened");
    this.refuseArrow();
    return query;
  }

  refuseArrow() {
    if (this.next.kind === "->") this.fail('put what is before "->" into parentheses');
  }

  either(meaning) {
    const queries = [this.both(meaning)];
    while (this.isKeyword("or")) {
      this.place++;
      queries.push(this.both(meaning));
    }
    return queries.length === 1 ? queries[0] : { kind: "either", queries };
  }

  both(meaning) {
    const queries = [this.one(meaning)];
    while ((this.next.kind === "word" || this.next.kind === "(") && !this.isKeyword("or")) {
      if (this.isKeyword("and")) this.place++;
      queries.push(this.one(meaning));
    }
    return queries.length === 1 ? queries[0] : { kind: "both", queries };
  }

  one(meaning) {
    if (this.isKeyword("not")) {
      this.place++;
      this.enter();
      const query = this.one(meaning);
      this.depth--;
      return { kind: "not", query };
    }
    if (this.isKeyword("upstream", "downstream")) return this.near();
    if (this.isKeyword("path")) return this.path();
    const last = this.next.kind === "(" ? this.closing.get(this.place) ?? this.tokens.length - 2 : this.place;
    if (this.tokens[Math.min(last + 1, this.tokens.length - 1)].kind !== "->") return this.item(meaning);
    const steps = [this.item("op")];
    while (this.next.kind === "->") {
      this.place++;
      steps.push(this.item("op"));
    }
    return { kind: "chain", steps };
  }

  near() {
    const direction = this.next.text;
    this.place++;
    this.skip("of");
    const of = this.item("name");
    const query = { kind: "near", of, isUpstream: direction === "upstream", within: Infinity };
    if (!this.isKeyword("within")) return query;
    this.place++;
    if (this.next.kind !== "word" || !/^[0-9]{1,9}$/.test(this.next.text) || !Number(this.next.text)) {
      this.fail('expected a number of edges after "within", 1 or more');
    }
    query.within = Number(this.next.text);
    this.place++;
    return query;
  }

  path() {
    this.place++;
    const start = this.item("name");
    this.skip("to");
    return { kind: "path", start, end: this.item("name") };
  }

  skip(word) {
    if (!this.isKeyword(word)) this.fail(`expected "${word}"`);
    this.place++;
  }

  item(meaning) {
    const token = this.next;
    if (token.kind === "(") {
      if (!this.closing.has(this.place)) this.fail("this parenthesis is not closed");
      this.place++;
      this.enter();
      const query = this.either(meaning);
      this.refuseArrow();
      this.depth--;
      this.place++;
      return query;
    }
    if (token.kind !== "word" || KEYWORDS.has(token.text)) this.fail("expected a word; to search for a name, quote it");
    this.place++;
    return this.comparison(token.text) || this.word(token.text, meaning);
  }

  word(raw, meaning) {
    const value = unquoted(raw);
    return meaning === "part" ? { kind: "compare", field: "name", operator: "part", value } : { kind: "compare", field: meaning, operator: "=", value };
  }

  comparison(raw) {
    const match = /^([A-Za-z_]+(?:\.[^\s=<>!"]*)?)(!=|<=|>=|=|<|>)([^]*)$/.exec(raw);
    const isAttribute = (field) => field.startsWith("attr.") && field.length > 5;
    if (!match) return isAttribute(raw) ? { kind: "compare", field: raw, operator: "has", value: unquoted("") } : null;
    const [, field, operator, value] = match;
    if (!FIELDS.includes(field) && !isAttribute(field)) this.fail(`there is no field "${field}"; the fields are ${FIELDS.join(", ")} and attr.NAME`);
    if (!value && field !== "function") this.fail(`expected a value after ${field}${operator}`);
    const query = { kind: "compare", field, operator, value: unquoted(value) };
    if (NUMBERS.has(field) || (operator !== "=" && operator !== "!=")) {
      if (!NUMBERS.has(field) && !isAttribute(field)) this.fail(`${field} is not a number: compare it with = or !=`);
      if (numberOf(query) === null) this.fail(`"${query.value.text}" is not a number`);
    } else if (field === "shape" && !shapeOf(query.value.text)) {
      this.fail(`"${query.value.text}" is not a shape such as ?,224,224,3, or *,3, or [] for a scalar`);
    }
    return query;
  }
}

/** Return a word without its quotes; `isLiteral` says that it had some, so that it has no wildcards. */
function unquoted(raw) {
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
  const text = value.text.slice(0, 40).trim().replace(/(?<=\d)_(?=\d)/g, "");
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

/** Return the sizes of a shape, numbers, "?" or "*"; null for any other text. */
function shapeOf(text) {
  const sizes = text.replace(/^\[/, "").replace(/\]$/, "").replaceAll("...", "*");
  const parts = sizes.trim() ? sizes.split(",").map((part) => part.trim()) : [];
  if (!parts.every((part) => /^([?*]|-1|[0-9]{1,18})$/.test(part)) || parts.filter((part) => part === "*").length > 1) return null;
  return parts.map((part) => (part === "?" || part === "*" ? part : Number(part)));
}

const escapePattern = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Return the function that tests a text: with wildcards and alternatives; with `isPart`, anywhere and in any case. */
function textTest({ text, isLiteral }, isPart = false) {
  const alternatives = isLiteral ? [text] : text.split("|");
  const patterns = alternatives.map((one) => {
    if (isLiteral || !/[*?]/.test(one)) return isPart ? `[^]*${escapePattern(one)}[^]*` : escapePattern(one);
    return escapePattern(one).replaceAll("\\*", "[^]*").replaceAll("\\?", "[^]");
  });
  if (isPart && !alternatives.some((one) => !isLiteral && /[*?]/.test(one))) {
    const parts = new RegExp(alternatives.map(escapePattern).join("|"), "iu");  // much faster than a match of the whole
    return (value) => parts.test(value);
  }
  const pattern = new RegExp(`^(?:${patterns.join("|")})$`, isPart ? "iu" : "u");
  return (value) => pattern.test(value);
}
