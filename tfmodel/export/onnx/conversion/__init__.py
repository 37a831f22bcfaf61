"""Convert the nodes of a graph to nodes of ONNX, with the values that they pass on.

    nodes.py       convert nodes, producers first, and collect those that have no counterpart
    registry.py    converters by op; `Refusal`
    call.py        what a converter sees: a node, its inputs as values of ONNX, and how to add nodes
    operators.py   operators whose form depends on the opset, and short chains that several converters write
    kernels.py     the types that onnxruntime has kernels for, and casts to these
    probing.py     what our own kernels tell about an op: where elements go, the matrix of a linear op
    body.py        shapes, types and constants of a graph or function
    scope.py       the values of tensors, in each order of axes and type that was asked for
    lists.py       TensorArrays and TensorLists as tensors
    sizes.py       unknown sizes that are equal, and numbers computed from sizes
    tables.py      the contents of lookup tables
    types.py       the element types of ONNX
    model.py       an ONNX graph in memory
    remainder.py   the inputs from which the rest can be converted, where nodes cannot
    report.py      notes, refusals, facts about the written file

It imports analysis, graph, kernels and packages below them, and the converters of `ops` by their names. `ops`,
`control_flow`, `passes` and the export call it.
"""
