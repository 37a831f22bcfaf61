"""Kernels and shape rules of the ops of TensorFlow's parsing_ops.cc and audio_ops.cc: decoding of tf.Example, CSV, raw
bytes and audio.
"""
