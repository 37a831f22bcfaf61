"""Kernels and shape rules of the ops of TensorFlow's nn_ops.cc, ctc_ops.cc and rnn_ops.cc: convolutions, pooling,
activations, normalization and recurrent cells.
"""
