// Export the picture: as SVG, by a context that records what `paint` draws; or as PNG.

/** A drawing context that writes SVG elements. It has the part of the canvas interface that `paint` uses. */
class SvgContext {
  constructor() {
    this.parts = [];
    this.globalAlpha = 1;
    this.lineWidth = 1;
    this.textAlign = "left";
    this.dash = [];
    this.path = [];
  }

  setLineDash(dash) { this.dash = dash; }
  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${digits(x)} ${digits(y)}`); }
  lineTo(x, y) { this.path.push(`L${digits(x)} ${digits(y)}`); }
  closePath() { this.path.push("Z"); }
  bezierCurveTo(...numbers) { this.path.push(`C${numbers.map(digits).join(" ")}`); }

  roundRect(x, y, w, h, radius) {
    const r = Math.min(radius, w / 2, Math.max(0, h / 2));
    this.path.push(`M${digits(x + r)} ${digits(y)}h${digits(w - 2 * r)}a${r} ${r} 0 0 1 ${r} ${r}v${digits(h - 2 * r)}` +
      `a${r} ${r} 0 0 1 ${-r} ${r}h${digits(2 * r - w)}a${r} ${r} 0 0 1 ${-r} ${-r}v${digits(2 * r - h)}a${r} ${r} 0 0 1 ${r} ${-r}z`);
  }

  fill() { this.add(`fill="${this.fillStyle}"`); }

  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.add(`fill="none" stroke="${this.strokeStyle}" stroke-width="${digits(this.lineWidth)}"${dash}`);
  }

  add(paintText) {
    const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
    this.parts.push(`<path d="${this.path.join("")}" ${paintText}${alpha}/>`);
  }

  fillText(text, x, y) {
    const [, weight, size] = /^(\d+) ([\d.]+)px/.exec(this.font);
    this.parts.push(`<text x="${digits(x)}" y="${digits(y)}" font-size="${size}" font-weight="${weight}" fill="${this.fillStyle}">${markup(text)}</text>`);
  }
}

const digits = (number) => String(Math.round(number * 10) / 10);
const markup = (text) => visible(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Return the whole drawing as an SVG document. */
function svgText() {
  const context = new SvgContext();
  const area = { x: -10, y: -10, w: scene.width + 20, h: scene.height + 20 };
  paint(context, area, 1);
  const size = `width="${digits(area.w)}" height="${digits(area.h)}" viewBox="${[area.x, area.y, area.w, area.h].map(digits).join(" ")}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT.replace(/'/g, "")}">\n` +
    `<title>${markup(model.title)}</title>\n` +
    `<rect x="${area.x}" y="${area.y}" width="100%" height="100%" fill="${palette.back}"/>\n${context.parts.join("\n")}\n</svg>\n`;
}

function save(blob, name) {
  const link = make("a", { download: name });
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function saveSvg() {
  save(new Blob([svgText()], { type: "image/svg+xml" }), "graph.svg");
}

/** Save the whole drawing as PNG, at most 8,000 pixels wide and high. */
function savePng() {
  const scale = Math.min(2, 8000 / scene.width, 8000 / scene.height);
  const canvas = make("canvas");
  canvas.width = Math.ceil((scene.width + 20) * scale);
  canvas.height = Math.ceil((scene.height + 20) * scale);
  const context = canvas.getContext("2d");
  context.fillStyle = palette.back;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, 10 * scale, 10 * scale);
  paint(context, { x: -10, y: -10, w: scene.width + 20, h: scene.height + 20 }, 1);
  canvas.toBlob((blob) => save(blob, "graph.png"));
}
