"""Ops of TensorFlow's linalg_ops.cc.

    matrices.py  decompositions, inverses, linear systems, Einsum
    shapes.py    shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
