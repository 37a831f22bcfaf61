"""Open the pages of all corpus models in windows of several sizes: the first picture fits each, and can be read.

    python -m tests.tfmodel.drawing.page.sweep [PART OF A PATH ...]

Prints a line for each picture that does not, each problem of a page, and each page that is not written equally twice.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.corpus import corpus_files
from tests.tfmodel.drawing.page.chromium import Chromium
from tfmodel.drawing.page import page

__all__ = ["WINDOWS", "FirstPicture", "first_pictures", "models"]

WINDOWS = [(1600, 1000), (1280, 720), (390, 844)]

MAX_BOXES = 30
MIN_SCALE = 0.75  # at which text can be read

ACTIONS = ["showTab('weights')", "showTab('summary')", "showTab('graph')", "search('op=Conv2D')", "svgText()"]
"""Actions after the first picture, which find problems of other parts of a page."""

MEASURE = """(({ scene, state }) => {
  const canvas = document.getElementById("canvas");
  return [scene.boxes.length, state.camera.scale, scene.width * state.camera.scale / canvas.clientWidth];
})(tfmodelPage)"""


@dataclass(frozen=True)
class FirstPicture:
    """The first picture of a page in a window. `share` is the width of the drawing, as a part of that of the window."""

    size: tuple[int, int]
    boxes: int
    scale: float
    share: float
    problems: list[str]

    @property
    def faults(self) -> list[str]:
        found = list(self.problems)
        if not 0 < self.boxes <= MAX_BOXES:
            found.append(f"{self.boxes} boxes")
        if self.scale < MIN_SCALE:
            found.append(f"scale {self.scale:.2f}")
        if self.share > 1:
            found.append(f"{self.share:.0%} of the window's width")
        return found


def models() -> list[Path]:
    """Return the graphs of the corpus, SavedModels as their folders."""
    return [
        path.parent if path.name == "saved_model.pb" else path
        for path in corpus_files(".pb", ".pb.gz", ".meta", ".meta.gz", ".pbtxt", ".pbtxt.gz")
        if "run_metadata" not in path.name and path.name != "fingerprint.pb"
    ]


def first_pictures(
    browser: Chromium, path: Path, windows: Sequence[tuple[int, int]] = WINDOWS
) -> Iterator[FirstPicture]:
    """Open a page in windows of several sizes."""
    for size in windows:
        width, height = size
        tab = browser.open(path, width=width, height=height)
        boxes, scale, share = tab.evaluate(MEASURE)
        for action in ACTIONS:
            tab.evaluate(f"void tfmodelPage.{action}")
        yield FirstPicture(size, boxes, scale, share, tab.problems)
        tab.close()


def sweep(parts: Sequence[str]) -> bool:
    """Print what is wrong with the pages of models whose paths have one of some parts; return whether nothing is."""
    chosen = [path for path in models() if not parts or any(part in str(path) for part in parts)]
    wrong = 0
    with Chromium() as browser, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "page.html"
        for path in chosen:
            target.write_bytes(page(path, values="none"))
            faults = [] if target.read_bytes() == page(path, values="none") else ["other bytes the second time"]
            for picture in first_pictures(browser, target):
                faults += [f"{'x'.join(map(str, picture.size))}: {fault}" for fault in picture.faults]
            for fault in faults:
                print(f"{path.parent.name}/{path.name}: {fault}", flush=True)
            wrong += bool(faults)
    print(f"{len(chosen)} models in windows of {len(WINDOWS)} sizes: something is wrong with {wrong}")
    return not wrong


if __name__ == "__main__":
    sys.exit(not sweep(sys.argv[1:]))
