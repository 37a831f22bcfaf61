"""Pictures of graphs, for Graphviz to render.

    from tfmodel.inspection.graphviz import draw

    open("graph.dot", "w").write(draw(graph))            # and then: dot -Tsvg graph.dot -o graph.svg
    draw(graph, around="conv1/Conv2D", radius=3)

A graph of thousands of nodes is folded until one can look at it: by the scopes of names, with constants as part of what
takes them, edges between two boxes as one, and what is linked with everything aside. Modules:

    picture.py     `draw`: what is drawn, and what is left out
    wiring.py      nodes, arguments, results, and the edges between them
    constants.py   which constants need no box
    folding.py     nodes put together to boxes
    bundling.py    edges put together, and boxes that are linked with most others
    families.py    ops by what they are for
    labels.py      what stands in a box
    writing.py     the document
    dot.py         Graphviz's language
"""

from __future__ import annotations

from .picture import MOST_BOXES, Picture, draw, picture

__all__ = ["MOST_BOXES", "Picture", "draw", "picture"]
