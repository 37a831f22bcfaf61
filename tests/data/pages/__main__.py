"""Write the pages of the gallery, and take the pictures of them that the READMEs show."""

from __future__ import annotations

import json
import sys

from tests.data.pages import FOLDER, PICTURES, digest, pages
from tests.tfmodel.drawing.page.chromium import Chromium, chromium

WIDTH, HEIGHT = 980, 320
ACTIONS = {
    "graph.png": "tfmodelPage.selectNode(tfmodelPage.findNodes('op=Conv2D')[0])",
    "weights.png": "tfmodelPage.showTab('weights')",
    "difference.png": "tfmodelPage.showTab('graph')",
}


def take_pictures() -> None:
    taken = {}
    with Chromium() as browser:
        for name, (page, dark) in PICTURES.items():
            tab = browser.open(FOLDER / page, width=WIDTH, height=HEIGHT, dark=dark)
            tab.evaluate(ACTIONS.get(name, "0"))
            (FOLDER / name).write_bytes(tab.screenshot())
            taken[name] = digest((FOLDER / page).read_bytes())
            tab.close()
    (FOLDER / "pictures.json").write_text(json.dumps(taken, indent=2) + "\n")


for name, content in pages().items():
    (FOLDER / name).write_bytes(content)
if chromium() is None:
    sys.exit("Chromium is not installed: the pages are written, and the pictures are not taken again")
take_pictures()
