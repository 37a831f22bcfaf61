"""Ops of TensorFlow's data_flow_ops.cc, lookup_ops.cc, list_ops.cc and dataset_ops.cc.

    partitioning.py   slices distributed over tensors
    tables.py         lookup tables
    tensor_arrays.py  TensorArrays and stacks
    variants.py       TensorLists and optionals

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
