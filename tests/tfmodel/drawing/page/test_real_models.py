"""Pages of real models in Chromium: they open without problems, and first pictures are small with few crossings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.support.corpus import needs_corpus
from tests.tfmodel.drawing.page import sweep
from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.page.test_page import header_of, most_bytes
from tfmodel.drawing.page import page

pytestmark = [
    needs_corpus,
    pytest.mark.slow(reason="starts a browser and reads real model files"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

MODELS, WINDOWS = sweep.models(), sweep.WINDOWS
"""All are opened if TFMODEL_ALL_PAGES is set; else those of at most 40 KB, in the largest and the smallest window."""

if not os.environ.get("TFMODEL_ALL_PAGES"):
    WINDOWS = WINDOWS[::2]
    MODELS = [path for path in MODELS if path.is_file() and path.stat().st_size <= 40_000]
SMALL = [path for path in MODELS if path.is_file() and path.stat().st_size < 100_000]

MAX_RATIO = 1.2  # of crossings to those of dot

LEVELS = """tfmodelPage.scene.frames.map((frame) => {
  const edges = tfmodelPage.scene.edges.filter((edge) => edge.level === frame.entry && !edge.isPort);
  const ids = [...new Set(edges.flatMap((edge) => [edge.from, edge.to]))];
  const pairs = [...new Set(edges.map((edge) => `${ids.indexOf(edge.from)} ${ids.indexOf(edge.to)}`))]
    .map((pair) => pair.split(" ").map(Number));
  const sizes = ids.map((id) => tfmodelPage.scene.byEntry.get(id)).map((box) => [box.w, box.h]);
  const drawing = tfmodelPage.layoutLayers(sizes, pairs, new Set(), new Set());
  return [pairs, pairs.length ? drawing.crossings : 0];
})"""


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_real_model_opens_with_at_most_30_boxes_that_fit_the_window(browser, tmp_path, path):
    target = tmp_path / "page.html"
    content = page(path, values="none")
    target.write_bytes(content)
    assert len(content) <= most_bytes(header_of(content))
    pictures = sweep.first_pictures(browser, target, WINDOWS)
    assert [(picture.size, picture.faults) for picture in pictures if picture.faults] == []


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed: apt-get install graphviz")
def test_edges_cross_at_most_a_fifth_more_than_in_pictures_of_dot(browser, tmp_path):
    ours = theirs = 0
    for path in SMALL:
        target = tmp_path / "page.html"
        target.write_bytes(page(path, values="none"))
        tab = browser.open(target)
        for pairs, crossings in tab.evaluate(LEVELS):
            ours += crossings
            theirs += _crossings_of_dot(pairs) if len(pairs) > 2 else 0
        tab.close()
    assert ours <= MAX_RATIO * theirs


def _crossings_of_dot(pairs) -> int:
    text = "".join(f"{source}->{target};" for source, target in pairs)
    log = subprocess.run(
        ["dot", "-v", "-Tplain"], input=f"digraph{{{text}}}", capture_output=True, text=True, check=True
    )
    found = re.findall(r"mincross \S+: (\d+) crossings", log.stderr)
    return int(found[-1]) if found else 0
