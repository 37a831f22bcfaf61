"""Ops of TensorFlow's state_ops.cc, resource_variable_ops.cc and training_ops.cc.

    variables.py  variables, RestoreV2
    shapes.py     shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
