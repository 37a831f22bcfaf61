"""A model as all functions take it: its graph from a file or a message, with signatures, checkpoint and assets.

    model_source.py         `ModelSource`: what is read of a model, when it is needed
    opening.py              open a file, a message or a checkpoint without a graph
    signature_defs.py       the signatures of a MetaGraph, and which of them is the default
    function_signatures.py  signatures that stand in functions alone
    bindings.py             the default signature, and values for tensors that are named by its keys
    assets.py               the files of assets in the folder of a SavedModel
    metagraph/              build MetaGraphs, decode collections

The package imports `graph`, `ops`, `files` and packages below them; every function that works on a whole model calls
it.
"""
