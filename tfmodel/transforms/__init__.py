"""Graph transforms: one module per transform, or per family of small ones. `framework` has the code that they share.

A transform is a function from a graph to a new graph. It never changes its input graph or the nodes in it; unchanged
nodes are shared by both graphs. `RECIPES` are tested lists of transforms, by name. The package may import
freezing, compare, kernels, analysis and the packages below these. `optimize`, `Model` and the command line use it.
"""

from __future__ import annotations

from .framework.recipes import RECIPES

__all__ = ["RECIPES"]
