"""Kernels and shape rules of the ops of TensorFlow's image_ops.cc: decoding, resizing and changing images, and non-
maximum suppression.
"""
