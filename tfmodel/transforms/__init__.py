"""Graph transforms: one module per transform (or per family of small ones), and what they share in `framework`.

A transform is a function from a graph to a new graph. It never changes its input graph or the nodes in it; unchanged
nodes are shared by both graphs. `RECIPES` are tested lists of transforms, by name. May import graph, ops, shapes,
freezing and what is below them; used by `optimize`, `Model` and the command line.
"""

from __future__ import annotations

from .framework.recipes import RECIPES

__all__ = ["RECIPES"]
