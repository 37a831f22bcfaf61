"""Facts about a graph, found without running it: shapes, uses of weights, inputs and outputs, values of variables.

    shape_rules/    the shape rule of each op
    shapes/         shape inference: the shapes of all tensors of a graph
    flops.py        floating point operations of a node
    data_flow.py    follow tensors through a graph and its functions; the nodes that outputs need
    uses.py         find the nodes that use a weight, its role, the relevance of each use
    endpoints/      find the inputs and outputs of a model
    facts.py        `Facts`: all of this about one model, computed once
    choice.py       `choose`: what is fed, bound and fetched, for all commands
    variables/      the variables of a graph: their keys in a checkpoint, their values, their handles
    batch_statistics.py  find batch norms of training, and their moving averages
    needed_release.py  the first release of TensorFlow that imports a graph
    deployment.py   parts of the training in a graph that is deployed
    signature_maker.py  signatures with inferred types and shapes
    import_check.py say why TensorFlow refuses to import a graph

The package imports `source`, `graph`, `ops` and packages below them. Reports, pictures, the interpreter, freezing,
transforms and `optimizer` call it. NumPy is imported only where values of variables are read.
"""
