"""Kernels and shape rules of the ops of TensorFlow's data_flow_ops.cc, lookup_ops.cc, list_ops.cc and dataset_ops.cc:
tables, stacks, TensorArrays, TensorLists and optionals.
"""
