"""Draw graphs as Graphviz documents.

    from tfmodel.drawing.graphviz import draw

    open("graph.dot", "w").write(draw(graph))            # and then: dot -Tsvg graph.dot -o graph.svg
    draw(graph, around="conv1/Conv2D", radius=3)

A graph of more than 60 boxes is folded until the picture is readable: nodes are folded by name scope, constants are
drawn inside their consumers, parallel edges are bundled, and boxes that are linked with very many others are drawn
aside, without edges.

    picture.py    `draw`: choose the nodes to draw and the depth of folding
    boxes.py      fold vertices and edges into boxes and bundles
    dot.py        write the document: texts and colours of boxes

It imports `drawing.wiring`, `analysis`, `values` and packages below them, and no NumPy; `cli` calls it.
"""

from __future__ import annotations

from .picture import MAX_BOXES, Picture, draw, picture

__all__ = ["MAX_BOXES", "Picture", "draw", "picture"]
