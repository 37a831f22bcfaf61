"""Draw graphs as Graphviz documents.

    from tfmodel.drawing.graphviz import draw

    open("graph.dot", "w").write(draw(graph))            # and then: dot -Tsvg graph.dot -o graph.svg
    draw(graph, around="conv1/Conv2D", radius=3)

The boxes are those of `drawing.boxes`, as in a page: scopes are closed until about 60 boxes are left, constants and
variables are drawn inside their consumers, parallel edges are bundled, and what is linked with very many others stands
aside, without edges.

Graphviz also makes the images: the layout of the page, in JavaScript, has no copy in Python. It takes millions of
steps, which Python does in seconds, so that a copy would be another and simpler layout, to be kept beside the first.

    picture.py    `picture`: choose the part of a model to draw, and the boxes that are open
    dot.py        write the document: texts and colours of boxes
    images.py     run Graphviz

It imports the modules of `drawing`, `analysis`, `source` and packages below them, and no NumPy; `cli` calls it.
"""

from __future__ import annotations

from ..boxes import MAX_BOXES
from .picture import Picture, draw, picture

__all__ = ["MAX_BOXES", "Picture", "draw", "picture"]
