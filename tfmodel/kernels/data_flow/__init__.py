"""Ops of TensorFlow's data_flow_ops.cc, lookup_ops.cc, list_ops.cc and dataset_ops.cc.

    tables.py         lookup tables
    tensor_arrays.py  TensorArrays and stacks
    variants.py       TensorLists and optionals

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
