"""A model as one HTML page to look at, offline.

    from tfmodel.drawing.page import page

    Path("model.html").write_bytes(page("saved_model/"))
    Path("difference.html").write_bytes(page("before.pb", "after.pb"))

The page has the graph, folded by scope and opened by clicks, the weights, the summary and the difference of two models.
Python makes the hierarchy and the data; the script of the page, in `js/`, decides what is open at first, since the size
of the window matters, and lays out and draws the open scopes. Nothing is fetched, and every text of a model is only
shown, never run.

    document.py      `page`: style, script and data in one file
    data.py          the nodes as columns
    columns.py       the tables that columns share: attributes and outputs
    report.py        the summary
    measuring.py     read weights, for their pictures and values
    carried.py       values that the page carries
    heat_maps.py     matrices of weights in few cells

It imports the modules of `drawing`, `reports`, `analysis`, `parameters`, `source` and packages below them; `cli` and
`model` call it.
"""

from __future__ import annotations

from .document import Tab, page

__all__ = ["Tab", "page"]
