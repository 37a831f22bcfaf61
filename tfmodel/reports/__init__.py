"""Views and reports of models, as text or data.

    tree.py               a model as text, one line per node
    field_paths.py        fields selected by paths such as `graph_def.node[3].attr["value"]`, and their JSON
    collections.py        the collections of a MetaGraph, decoded
    wire.py               the raw records of a file, fields that no table declares, and the index of a checkpoint
    find.py               find nodes by a query: the report of `find`
    query.py              the language of queries: grammar and parser
    query_matching.py     the nodes of a graph or a function that match a query
    op_support.py         the ops of a model that can be run, here or by another runtime
    needed_nodes.py       the nodes that a run of a model needs
    keras_summary.py      what is in a file of Keras
    keras_dangers.py      objects that run code, call functions or read files when Keras loads them
    signatures.py         the signatures and functions of a model, as `saved_model_cli show --all` lists them
    onnx/                 what is in an ONNX model
    objects/              the objects of TensorFlow 2 models and checkpoints as a tree
    summary/              describe a model: the report of `summarize`
    diff/                 compare two models: the report of `diff`
    check/                whether a model is sound and safe: the report of `check`

The package imports `analysis`, `parameters`, `source` and packages below them; `cli`, `model`, `drawing` and
`optimizer` call it. NumPy is imported only where tensors are compared.
"""
