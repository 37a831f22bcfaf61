// Save the picture, as SVG or PNG.

/** Return a painter that adds SVG elements to a list. */
function svgPainter(elements) {
  return {
    rect(x, y, w, h, radius, style) {
      add("rect", { x, y, width: Math.max(0, w), height: Math.max(0, h), rx: radius, ...style });
    },
    path(steps, style) {
      add("path", { d: steps, ...style });
    },
    isWhole: true,
    text(text, x, y, font, colour) {
      const [weight, size] = font.split(/ |px/);
      add("text", { x, y, "font-size": size, "font-weight": weight, fill: colour }, markup(text));
    },
  };

  function add(name, attributes, content = "") {
    const used = Object.entries(attributes).filter(([key, value]) => value !== "" && !(key === "opacity" && value === 1));
    const texts = used.map(([key, value]) => ` ${key}="${typeof value === "number" && key !== "opacity" ? digits(value) : value}"`);
    elements.push(`<${name}${texts.join("")}>${content}</${name}>`);
  }
}

const markup = (text) => visible(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const pictureArea = () => ({ x: -10, y: -10, w: scene.width + 20, h: scene.height + 20 });

/** Return the whole drawing as an SVG document. */
function svgText() {
  const elements = [], { x, y, w, h } = pictureArea();
  paint(svgPainter(elements), pictureArea(), 1);
  const size = `width="${digits(w)}" height="${digits(h)}" viewBox="${[x, y, w, h].map(digits).join(" ")}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONTS.replace(/'/g, "")}">\n` +
    `<title>${markup(model.title)}</title>\n${elements.join("\n")}\n</svg>\n`;
}

function save(blob, name) {
  const href = URL.createObjectURL(blob);
  set(make("a"), { download: name, href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

function saveSvg() {
  save(new Blob([svgText()], { type: "image/svg+xml" }), "graph.svg");
}

/** Save the whole drawing as PNG, at most 8,000 pixels wide and high. */
function savePng() {
  const { x, y, w, h } = pictureArea(), picture = make("canvas");
  const scale = Math.min(2, 8000 / w, 8000 / h);
  Object.assign(picture, { width: Math.ceil(w * scale), height: Math.ceil(h * scale) });
  const context = picture.getContext("2d");
  context.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
  paint({ ...canvasPainter(context), isWhole: true }, pictureArea(), 1);
  picture.toBlob((blob) => save(blob, "graph.png"));
}
