"""The parts of `fold_batch_norms` and `fold_old_batch_norms`: fold scales and shifts per channel into weights.

A layer is linear in its weights, so scaling its output per channel is the same as scaling its weights:

    Conv2D(x, w) * scale + shift   =   BiasAdd(Conv2D(x, w * scale), shift)

There may be nodes between the layer and the scale, if scale and shift pass through them: additions, Pad, Squeeze,
BatchToSpaceND, concatenations.

    channel_ops.py   the ops: layers, steps (arithmetic and batch norms), and carriers, which scales pass through
    constants.py     values of constants, small computations with them, and known shapes for Reshape
    tree.py          read a tree of nodes from the last step down to the layers
    folding.py       `fold`: find the last steps, and write the nodes that replace a tree

The package may import the same packages as transforms; the two transforms call it.
"""
