"""Ops of TensorFlow's linalg_ops.cc.

    matrices.py  decompositions, inverses, linear systems, Einsum

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
