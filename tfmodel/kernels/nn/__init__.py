"""Ops of TensorFlow's nn_ops.cc, ctc_ops.cc and rnn_ops.cc.

    convolutions.py    convolutions and their gradients
    data_formats.py    positions of dimensions in other data formats
    pooling.py         pooling and its gradients, Dilation2D
    windows.py         sliding windows, for convolutions.py and pooling.py
    normalization.py   BiasAdd, batch norms, LRN, L2Loss
    activations.py     activations, Softmax, cross entropies, TopK
    ctc.py             CTC decoding, greedily and by beam search
    recurrent.py       LSTM and GRU cells
    fused.py           fused layers
    fused_padding.py   convolutions fused with resizing and mirror padding, with the faults of TensorFlow

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
