"""Ops of TensorFlow's sparse_ops.cc, ragged_*_ops.cc and set_ops.cc.

    tensors.py       sparse tensors
    ragged.py        ragged tensors
    combinations.py  set operations, EditDistance, crosses of features

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
