"""Ops of TensorFlow's random_ops.cc, stateless_random_ops.cc and candidate_sampling_ops.cc.

    stateful.py       random numbers of the run, or of the seeds of a node
    stateless.py      random numbers of a seed that is a tensor
    philox.py         the generator of both, and its distributions

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
