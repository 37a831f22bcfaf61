"""What `fold_batch_norms` and `fold_old_batch_norms` are made of: numbers for each channel, moved into weights.

A layer is linear in its weights, so to scale its output channel by channel is to scale its weights:

    Conv2D(x, w) * scale + shift   =   BiasAdd(Conv2D(x, w * scale), shift)

and what stands between can let scale and shift pass: an addition, a Pad, a Squeeze, a BatchToSpaceND, a concatenation.

    layers.py     the layers, and which axes of their weights are the channels of what they give
    values.py     what constants are, in double precision, and small sums of them
    steps.py      what multiplies and adds, channel by channel: arithmetic and batch norms
    carriers.py   what lets that pass
    endings.py    shapes of which the end is known, for those who reshape
    reading.py    from the last step down to the layers: a tree
    writing.py    the nodes that take its place
    folding.py    `fold`, which finds the last steps
"""
