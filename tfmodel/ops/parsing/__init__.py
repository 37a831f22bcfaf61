"""Ops of TensorFlow's parsing_ops.cc and audio_ops.cc.

    decoding.py  raw bytes, TensorProtos, CSV, tf.Example
    audio.py     WAV files, spectrograms, MFCC
    shapes.py    shape rules

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.shapes` the shape rules.
"""
