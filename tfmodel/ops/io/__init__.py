"""Kernels and shape rules of the ops of TensorFlow's io_ops.cc, logging_ops.cc and summary_ops.cc: files, printed
messages and assertions.
"""
