"""A model as all functions take it: its graph from a file or a message, with signatures, checkpoint and assets.

    model_source.py         `ModelSource`: a model, opened when it is needed, and the models that steps make of it
    opened.py               `Opened`: the content of a model
    opening.py              open a file, a message or a checkpoint without a graph
    missing_weights.py      models whose files of weights are missing
    signature_defs.py       the signatures of a MetaGraph, and which of them is the default
    collections.py          decode and encode the collections of a MetaGraph
    meta_renames.py         let a MetaGraph name the nodes of a changed graph
    function_signatures.py  signatures that stand in functions alone
    bindings.py             the default signature, and values for tensors that are named by its keys
    loading.py              the nodes that loading a model runs, and its assets
    assets.py               the files of assets in the folder of a SavedModel
    metagraph/              build MetaGraphs

The package imports `graph`, `ops`, `files` and packages below them; every function that works on a whole model calls
it.
"""
