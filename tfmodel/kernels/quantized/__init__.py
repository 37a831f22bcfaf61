"""Ops of TensorFlow's nn_ops.cc, math_ops.cc and array_ops.cc: quantized ops.

    conversion.py         QuantizeV2, Dequantize, Requantize
    layers.py             quantized layers
    fake_quantization.py  fake quantization

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
