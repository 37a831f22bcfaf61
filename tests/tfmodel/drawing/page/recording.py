"""Drawings of the page, recorded by a painter that draws nothing."""

from __future__ import annotations

import json

RECORD = """((area, scale) => {
  const texts = [], fills = [];
  const painter = {
    rect: (x, y, w, h, radius, { fill, opacity = 1 }) => fills.push({ x, y, w, h, fill, opacity }),
    path: (steps, { fill, opacity = 1 }) => fills.push({ steps, fill, opacity }),
    text: (text, x, y, font, colour) => texts.push({ text, x, y, size: parseFloat(font.split(" ")[1]), colour }),
  };
  const { scene } = tfmodelPage;
  tfmodelPage.paint(painter, area || { x: 0, y: 0, w: scene.width, h: scene.height }, scale);
  return { texts, fills };
})"""


def record(tab, scale, area=None):
    """Return the texts and filled shapes that are drawn at a scale."""
    return tab.evaluate(f"{RECORD}({json.dumps(area)}, {scale})")
