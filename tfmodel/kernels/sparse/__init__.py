"""Ops of TensorFlow's sparse_ops.cc, ragged_*_ops.cc and set_ops.cc.

    tensors.py          sparse tensors
    ragged.py           ragged tensors
    ragged_variants.py  ragged tensors in variants
    combinations.py     set operations, EditDistance, crosses of features

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
