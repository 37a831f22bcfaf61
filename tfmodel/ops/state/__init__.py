"""Kernels and shape rules of the ops of TensorFlow's state_ops.cc, resource_variable_ops.cc and training_ops.cc:
variables and their values in checkpoints.
"""
