"""Kernels and shape rules of the ops of TensorFlow's nn_ops.cc, math_ops.cc and array_ops.cc: quantized layers,
conversion between floats and quantized values, fake quantization.
"""
