"""The parts of `fold_batch_norms` and `fold_old_batch_norms`: fold scales and shifts per channel into weights.

A layer is linear in its weights, so scaling its output per channel is the same as scaling its weights:

    Conv2D(x, w) * scale + shift   =   BiasAdd(Conv2D(x, w * scale), shift)

Scale and shift also pass through some nodes between: an addition, Pad, Squeeze, BatchToSpaceND, a concatenation.

    channel_ops.py   layers, affine steps (arithmetic and batch norms), and ops that scales pass through
    constants.py     values of constants, small computations with them, and known shapes for Reshape
    tree.py          read a tree of nodes from the last step down to the layers
    folding.py       `fold`: find the last steps, and write the nodes that replace a tree

It may import what transforms may import; the two transforms call it.
"""
