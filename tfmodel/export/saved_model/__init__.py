"""Write SavedModel folders, which TensorFlow loads and serves.

    signatures = {"serving_default": {"inputs": {"image": "x"}, "outputs": {"scores": "softmax"}}}
    save_saved_model("frozen.pb", "folder/", signatures=signatures)

Its modules:

    writing.py      `save_saved_model`: the files of the folder
    meta_graph.py   the MetaGraph: tags, signatures, collections, objects, the node that initializes tables
    variables.py    the files of the variables, and the nodes that restore them
    assets.py       the files that the graph reads

The package imports `source`, `analysis`, `parameters` and packages below them; `Model` and the command `convert` call
it.
"""

from __future__ import annotations

from .writing import save_saved_model

__all__ = ["save_saved_model"]
