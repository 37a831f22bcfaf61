"""Ops of TensorFlow's image_ops.cc.

    decoding.py             DecodePng, DecodeBmp
    resizing.py             ResizeBilinear and other resizing, CropAndResize
    adjustment.py           color spaces, contrast, projections, bounding boxes
    non_max_suppression.py  non-maximum suppression

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
