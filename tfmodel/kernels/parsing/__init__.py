"""Ops of TensorFlow's parsing_ops.cc and audio_ops.cc.

    decoding.py  raw bytes, TensorProtos, CSV, tf.Example
    audio.py     WAV files, spectrograms, MFCC

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
