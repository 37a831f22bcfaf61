"""Take the pictures of pages that tfmodel/cli/README.md shows."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.tfmodel.inspection.page.chromium import Chromium
from tfmodel.inspection.page import page

FOLDER = Path(__file__).parent
CONVNET = FOLDER.parent / "convnet.pb"
SELECT = "tfmodelPage.selectNode(tfmodelPage.findNodes('op=Conv2D')[0])"

PICTURES = {
    "graph.png": ((CONVNET,), {}, False),
    "weights.png": ((CONVNET,), {"tab": "weights"}, True),
}
"""The models, the options of the page, and whether it is dark."""

with Chromium() as browser, tempfile.TemporaryDirectory() as folder:
    for name, (models, options, dark) in PICTURES.items():
        path = Path(folder) / "page.html"
        path.write_bytes(page(*models, **options))
        tab = browser.open(path, width=980, height=500, dark=dark)
        if name == "graph.png":
            tab.evaluate(SELECT)
        (FOLDER / name).write_bytes(tab.screenshot())
