"""Kernels and shape rules of the ops of TensorFlow's array_ops.cc and manip_ops.cc: shapes, slices, joining, indexing
and the layout of tensors.
"""
