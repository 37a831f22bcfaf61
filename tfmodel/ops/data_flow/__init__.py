"""Ops of TensorFlow's data_flow_ops.cc, lookup_ops.cc, list_ops.cc and dataset_ops.cc.

    tables.py         lookup tables
    tensor_arrays.py  TensorArrays and stacks
    tensor_lists.py   TensorLists
    optionals.py      optionals
    partitioning.py   DynamicPartition, DynamicStitch
    shapes.py         shape rules, also of queues and iterators

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
