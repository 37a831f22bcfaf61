"""Ops of TensorFlow's sparse_ops.cc, ragged_*_ops.cc and set_ops.cc.

    tensors.py  sparse tensors
    ragged.py   ragged tensors
    sets.py     set operations, EditDistance
    shapes.py   shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
