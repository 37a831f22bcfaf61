"""Kernels and shape rules of the ops of TensorFlow's math_ops.cc, special_math_ops.cc, bitwise_ops.cc and
spectral_ops.cc: elementwise arithmetic, reductions, segments, matrix products and Fourier transforms.
"""
