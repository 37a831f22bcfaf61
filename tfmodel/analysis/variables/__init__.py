"""The variables of a graph: their keys in a checkpoint, their values, and the nodes that hold their handles.

    checkpoint_keys.py    find the key of each variable in a checkpoint
    variable_values.py    read the values of variables, make constants, order the assignments in a graph
    handle_tracing.py     follow the handles of variables through a graph
    scopes.py             find tensors in another scope of a checkpoint, and the renames for them
    preparation.py        replace tensors by constants; inline the calls of functions

The package imports `analysis.shapes`, `source`, `graph`, `ops` and packages below them. Freezing, the interpreter,
reports and `parameters` call it. NumPy is imported when values are read.
"""
