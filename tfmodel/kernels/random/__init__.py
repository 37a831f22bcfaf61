"""Ops of TensorFlow's random_ops.cc, stateless_random_ops.cc and candidate_sampling_ops.cc.

    distributions.py  random numbers

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
