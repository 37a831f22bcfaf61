"""Ops of TensorFlow's nn_ops.cc, math_ops.cc and array_ops.cc: quantized ops.

    conversion.py         QuantizeV2, Dequantize, Requantize
    layers.py             quantized layers
    fake_quantization.py  fake quantization
    uniform.py            uniform quantization with scales and zero points

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
