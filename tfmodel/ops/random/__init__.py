"""Kernels and shape rules of the ops of TensorFlow's random_ops.cc, stateless_random_ops.cc and
candidate_sampling_ops.cc: random numbers.
"""
