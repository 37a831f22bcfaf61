"""The committed pages are those that the package writes now, and the pictures are of them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from tests.data.pages import FOLDER, PICTURES, digest, pages, parts

AGAIN = "run python -m tests.data.pages"


def is_close(a: Any, b: Any) -> bool:
    """Return whether two JSON values are equal; floats may differ by what the sums of other CPUs do."""
    match a, b:
        case dict(), dict():
            return a.keys() == b.keys() and all(is_close(a[key], b[key]) for key in a)
        case list(), list():
            return len(a) == len(b) and all(map(is_close, a, b))
        case float(), float():
            return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)
    return type(a) is type(b) and a == b


@pytest.fixture(scope="module")
def written():
    return pages()


@pytest.mark.parametrize("name", ["convnet.html", "trained.html", "difference.html"])
def test_pages_are_current(written, name):
    frame, header, columns = parts((FOLDER / name).read_bytes())
    new_frame, new_header, new_columns = parts(written[name])
    assert (frame, columns) == (new_frame, new_columns), AGAIN
    assert is_close(header, new_header), AGAIN


def test_pictures_show_the_committed_pages():
    taken = json.loads((FOLDER / "pictures.json").read_text())
    assert taken == {name: digest((FOLDER / page).read_bytes()) for name, (page, _) in PICTURES.items()}, AGAIN


def test_pictures_are_small():
    assert sum((FOLDER / name).stat().st_size for name in PICTURES) < 200_000
