"""Edit models: nodes, attributes, names; parts of models, models joined, and preprocessing in front of an input.

    editor = tfmodel.Model("model.pb").edit()
    editor.insert_after("logits", "Softmax")
    editor.model.save("edited.pb")

The package imports `transforms`, `freezing` and packages below them. Its functions return a `ModelSource`, of which
`tfmodel.model_editing`, which calls them, makes a `Model`.

    editor.py            `tfmodel.GraphEditor`: add, insert, replace, rename and remove nodes
    edited_nodes.py      the nodes that the editor changes, with the users of each
    wiring.py            the attributes of a node that follow from its inputs
    attribute_values.py  attributes from plain Python values and from text
    extracting.py        `extract`: the part of a model between some tensors
    splicing.py          `splice`: two models joined
    preprocessing.py     `append_preprocessing`: steps in front of an input
    node_text.py         nodes as text, for the command line
    reduction/           the smallest part of a model that shows a problem
"""

from __future__ import annotations

from .editor import Editor
from .extracting import extract
from .preprocessing import append_preprocessing
from .splicing import splice

__all__ = ["Editor", "append_preprocessing", "extract", "splice"]
