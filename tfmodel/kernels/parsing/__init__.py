"""Ops of TensorFlow's parsing_ops.cc and audio_ops.cc.

    decoding.py           raw bytes, TensorProtos, CSV
    features.py           features as dense, sparse and ragged tensors
    examples.py           tf.Example
    sequence_examples.py  tf.SequenceExample
    audio.py              WAV files, spectrograms, MFCC

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
