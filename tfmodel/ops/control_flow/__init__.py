"""Kernels and shape rules of the ops of TensorFlow's control_flow_ops.cc, functional_ops.cc and no_op.cc: calls,
conditionals and loops.
"""
