"""Ops of TensorFlow's state_ops.cc, resource_variable_ops.cc and training_ops.cc.

    variables.py  variables, RestoreV2

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
