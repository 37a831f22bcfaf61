"""Changing graphs: one module for each transform, and what they share in `framework`.

A transform is a function from a graph to a new one. It never changes the graph that it is given, or a node of it: nodes
that stay as they are belong to both. `RECIPES` are lists of transforms that have proved good, by name.
"""

from __future__ import annotations

from .framework.recipes import RECIPES

__all__ = ["RECIPES"]
