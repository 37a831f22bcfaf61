"""Kernels and shape rules of the ops of TensorFlow's linalg_ops.cc: decompositions, linear systems and Einsum."""
