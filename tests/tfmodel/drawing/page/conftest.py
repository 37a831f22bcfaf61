"""Fixtures of the tests that open pages in a browser."""

from __future__ import annotations

import pytest

from tests.tfmodel.drawing.page.chromium import Chromium
from tfmodel.drawing.page import page


@pytest.fixture(scope="module")
def browser():
    with Chromium() as browser:
        yield browser


@pytest.fixture
def show(browser, tmp_path):
    """Opens the page of a model, or of two, in a window; and after the test checks that it had no problem."""
    tabs = []

    def show(*given, size=(1400, 900), fragment="", dark=False, **options):
        path = tmp_path / f"page{len(tabs)}.html"
        path.write_bytes(page(*given, **options))
        width, height = size
        tabs.append(browser.open(path, fragment=fragment, width=width, height=height, dark=dark))
        return tabs[-1]

    yield show
    for tab in tabs:
        assert tab.problems == []
        tab.close()
