"""Kernels and shape rules of the ops of TensorFlow's string_ops.cc: joining, splitting, matching, hashing and
formatting of strings, and Unicode.
"""
