"""Ops of TensorFlow's image_ops.cc.

    any_format.py           DecodeImage, DecodeJpeg, DecodePng, DecodeGif
    decoding.py             PNG and BMP files
    jpeg.py                 JPEG files
    pillow.py               the library for JPEG and GIF, where it is installed
    encoding.py             EncodePng
    resizing.py             ResizeBilinear and other resizing, CropAndResize
    adjustment.py           color spaces, contrast, projections, bounding boxes
    non_max_suppression.py  non-maximum suppression

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
