"""Ops of TensorFlow's image_ops.cc.

    decoding.py             DecodePng, DecodeBmp
    resizing.py             ResizeBilinear and other resizing, CropAndResize
    adjustment.py           color spaces, contrast, projections, bounding boxes
    non_max_suppression.py  non-maximum suppression

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
