"""Ops of TensorFlow's random_ops.cc, stateless_random_ops.cc and candidate_sampling_ops.cc.

    distributions.py  random numbers
    shapes.py         shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
