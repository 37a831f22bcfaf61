"""Ops of TensorFlow's array_ops.cc and manip_ops.cc.

    constants_and_diagonals.py     constants, placeholders, pass-through ops, Fill; diagonals of matrices
    layout.py                      Shape, Reshape, BroadcastTo, Transpose, Reverse, SpaceToBatch, patches, Bitcast
    slicing_and_joining.py         Slice, StridedSlice, Concat, Pack, Split, Pad, Tile
    gather_scatter.py              Gather, Scatter, OneHot, Where, Unique, LowerBound

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
