// The values of a weight: a slice at a time, with its histogram and map, and a file of what the page carries.

const dialog = byId("values");
const MAX_CELLS = 64;  // rows and columns of a slice that are shown

const valuesButton = (weight) => set(button("", "values", (event) => {
  event.stopPropagation();
  showValues(weight);
}), { "aria-label": `values of ${visible(weight.name)}`, onkeydown: (event) => event.stopPropagation() });

/** Return the numbers of a weight that the page carries. */
function carriedValues({ values: { at, count, type } }) {
  const { buffer, at: start } = model.carried, view = new DataView(buffer, start + at), size = Number(type.slice(2));
  const read = {
    f2: (i) => halfFloat(view.getUint16(i, true)), f4: (i) => view.getFloat32(i, true), f8: (i) => view.getFloat64(i, true),
    i1: (i) => view.getInt8(i), i2: (i) => view.getInt16(i, true), i4: (i) => view.getInt32(i, true), i8: (i) => Number(view.getBigInt64(i, true)),
    u1: (i) => view.getUint8(i), u2: (i) => view.getUint16(i, true), u4: (i) => view.getUint32(i, true), u8: (i) => Number(view.getBigUint64(i, true)),
    b1: (i) => view.getUint8(i),
  }[type.slice(1)];
  return read ? Array.from({ length: count }, (_, i) => read(i * size)) : [];
}

/** Return the number that 16 bits are, as IEEE 754 has it. */
function halfFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}

function showValues(weight) {
  const { name, shape, node, values: { count } } = weight, all = elementsOf(shape), numbers = carriedValues(weight);
  const columns = shape.at(-1) ?? 1, each = (shape.at(-2) ?? 1) * columns, slices = Math.max(1, Math.ceil(count / each));
  const holder = make("div.slice"), label = make("span.soft");
  const field = set(make("input"), { type: "number", min: 0, max: slices - 1, value: 0, "aria-label": "slice", oninput: fill });
  const part = `the first ${grouped(count)} of ${grouped(all)} values are on this page; draw --weights all puts more on it`;
  const command = `tfmodel weights ${quoted(model.title)} --name ${quoted(name)} -o weights.npz`;
  dialog.replaceChildren(
    make("h2", name), make("p.soft", `${weight.dtype || ""}${shapeText(shape)}: ${count < all ? part : counted(count, "value")}`),
    make("div.row", button("", "save as .npy", () => saveNpy(weight)),
      node === undefined ? null : button("", "show in the picture", () => { dialog.close(); visit(node); }), button("", "close", () => dialog.close())),
    ...(weight.histogram ? [histogram(weight.histogram, 420, 80)] : []),
    ...(weight.map ? [heatMap(weight.map, 420, 200), make("div.soft", mapText(weight.map))] : []),
    slices > 1 ? make("div.row", make("span", `slice of ${grouped(slices)}`), field, label) : "", holder,
    make("h3", "All values"), commandLine(command),
  );
  onKeys(dialog, { Escape: () => dialog.close() });
  fill();
  dialog.showModal();

  function fill() {
    const slice = Math.min(slices - 1, Math.max(0, Math.trunc(Number(field.value)) || 0));
    label.textContent = sliceName(shape, slice);
    holder.replaceChildren(sliceTable(numbers.slice(slice * each, (slice + 1) * each), columns));
  }
}

/** Return how Python names a slice of the last two axes: [0, 2, :, :]. */
function sliceName(shape, slice) {
  const places = [];
  for (const size of shape.slice(0, -2).reverse()) {
    places.unshift(slice % size);
    slice = Math.floor(slice / size);
  }
  return `[${[...places, ...shape.slice(-2).map(() => ":")].join(", ")}]`;
}

function sliceTable(numbers, columns) {
  const shown = Math.min(columns, MAX_CELLS, numbers.length), rows = Math.ceil(numbers.length / columns);
  const titles = ["", ...Array.from({ length: shown }, (_, i) => String(i))].map((title) => make("th.number", title));
  const body = Array.from({ length: Math.min(rows, MAX_CELLS) }, (_, r) => make("tr", make("th.number", String(r)),
    ...numbers.slice(r * columns, r * columns + shown).map((number) => make("td.number", short(number)))));
  const isPart = rows > MAX_CELLS || columns > MAX_CELLS;
  return make("div", wholeTable(titles, body), isPart ? make("p.soft", `the first ${MAX_CELLS} rows and columns of ${grouped(rows)} × ${grouped(columns)}`) : "");
}

/** Save the values of a weight that the page carries as a file of NumPy. */
function saveNpy(weight) {
  save(new Blob([npyBytes(weight)], { type: "application/octet-stream" }), `${weight.name.replace(/[^\w.-]+/g, "_").slice(-80)}.npy`);
}

/** Return a file of NumPy, version 1.0: magic, length of the header, header, values; in one row if they are a part. */
function npyBytes({ shape, values: { at, count, type } }) {
  const sizes = count === elementsOf(shape) ? shape : [count], size = Number(type.slice(2));
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${sizes.map((n) => `${n},`).join(" ")}), }`;
  const text = `${header}${" ".repeat((64 - ((header.length + 11) % 64)) % 64)}\n`;
  const start = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length & 255, text.length >> 8, ...new TextEncoder().encode(text)];
  const bytes = new Uint8Array(start.length + count * size);
  bytes.set(start);
  bytes.set(new Uint8Array(model.carried.buffer, model.carried.at + at, count * size), start.length);
  return bytes;
}
