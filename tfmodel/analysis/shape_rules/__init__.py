"""The shape rules of ops, one module per group of ops.

    table.py            the table of rules by op; `Call`, the node that a rule gets; helpers for rules
    partial_tensors.py  tensors of which the shape or some elements are known

    array.py                    constants, placeholders, pass-through ops, reshaping and broadcasting
    array_diagonals.py          diagonals of matrices
    array_gather_scatter.py     elements and slices by index; unique and sorted elements
    array_layout.py             Transpose, Reverse, SpaceToBatch, patches, Bitcast
    array_slicing_and_joining.py    Slice, Concat, Split, Pad, Tile
    control_flow.py, data_flow.py, image.py, linalg.py, math.py, parsing.py, quantized.py     the groups of these names
    random.py, sparse.py, state.py, string.py   also
    nn.py                       activations, normalization, losses and recurrent layers
    nn_windows.py               convolutions, pooling, their gradients and fused forms
    quantized_uniform.py        uniform quantization: sums, products and convolutions

A module with a table `RULES` needs no registration. The package imports `graph`, `ops` and `values`, and no NumPy;
`analysis.shapes` and the memory limit of kernels call it.
"""
