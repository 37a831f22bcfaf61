"""Ops of TensorFlow's math_ops.cc, special_math_ops.cc, bitwise_ops.cc and spectral_ops.cc.

    elementwise.py  arithmetic, comparisons, Select, unary functions, Range
    cast.py         Cast
    special.py      error functions, gamma, zeta and Bessel functions
    reductions.py   reductions, ArgMax, cumulative ops, segments
    counting.py     histograms, counts of values
    matmul.py       matrix products
    fourier.py      Fourier transforms

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
