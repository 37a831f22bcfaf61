"""Reports about ONNX models, which are not graphs of TensorFlow: what `summarize` and `dump` show of them.

    types.py       the types of values and the facts of tensors, without reading their data
    graphs.py      all lists of nodes: of the graph, of the graphs inside of nodes, of functions
    external.py    the files beside the model that hold the data of tensors; they are not read
    summary.py     `summarize_onnx`, and the report as data
    text.py        the report as text
    tree.py        one line per node, for `dump`

The package imports `source`, `files` and `values`; `cli` calls it. It does not import the tables of ONNX: a model that
it is given has them.
"""
