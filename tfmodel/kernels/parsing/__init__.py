"""Ops of TensorFlow's parsing_ops.cc and audio_ops.cc.

    decoding.py  raw bytes, TensorProtos, CSV, tf.Example
    audio.py     WAV files, spectrograms, MFCC

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
