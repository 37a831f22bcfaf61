"""Ops of TensorFlow's nn_ops.cc, math_ops.cc and array_ops.cc: quantized ops.

    conversion.py         QuantizeV2, Dequantize, Requantize
    layers.py             quantized layers
    concatenation.py      concatenation of codes
    fused_layers.py       layers with fused bias, addition, Relu and requantization
    per_channel.py        requantization of channels
    fake_quantization.py  fake quantization
    uniform.py            uniform quantization with scales and zero points
    uniform_layers.py     sums, products and convolutions of uniformly quantized tensors

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
