"""Ops of TensorFlow's state_ops.cc, resource_variable_ops.cc and training_ops.cc.

    variables.py  variables, RestoreV2

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
