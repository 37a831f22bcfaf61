"""Kernels and shape rules of the ops of TensorFlow's sparse_ops.cc, ragged_*_ops.cc and set_ops.cc: sparse and ragged
tensors, and sets.
"""
