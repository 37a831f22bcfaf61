"""Ops of TensorFlow's linalg_ops.cc.

    matrices.py  decompositions, inverses, linear systems, Einsum

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
