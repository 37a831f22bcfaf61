"""The objects of TensorFlow 2 models and checkpoints: layers with their variables and functions, as a tree.

    tree = object_tree("saved_model/")
    print(tree.to_text())
    tree["layer-0/kernel"].shape

    building.py             `object_tree`: each object in its place
    tree.py                 `ObjectTree` and `ModelObject`: the records, and JSON
    text.py                 the tree as text
    functions.py            the functions of objects, with the arguments of their concrete functions
    structured_values.py    nested Python values: arguments, results, specs

It imports `files.checkpoints`, `source.metagraph` and packages below them; `reports.signatures`, `model` and `cli` call
it.
"""

from __future__ import annotations

from .building import object_tree
from .tree import ModelObject, ObjectTree

__all__ = ["ModelObject", "ObjectTree", "object_tree"]
