"""Ops of TensorFlow's parsing_ops.cc and audio_ops.cc.

    decoding.py  raw bytes, TensorProtos, CSV, tf.Example
    shapes.py    shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
