"""Ops of TensorFlow's image_ops.cc.

    decoding.py             DecodePng, DecodeBmp
    resizing.py             ResizeBilinear and other resizing, CropAndResize
    adjustment.py           color spaces, contrast, projections, bounding boxes
    non_max_suppression.py  non-maximum suppression
    shapes.py               shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
