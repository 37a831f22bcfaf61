"""Ops of TensorFlow's random_ops.cc, stateless_random_ops.cc and candidate_sampling_ops.cc.

    distributions.py  random numbers

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
