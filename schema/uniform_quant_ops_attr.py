"""tensorflow/core/util/quantization/uniform_quant_ops_attr.proto: what an attribute of quantized convolutions holds."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["UniformQuantizedConvolutionDimensionNumbersAttr"]


@pb.message("tensorflow.UniformQuantizedConvolutionDimensionNumbersAttr")
class UniformQuantizedConvolutionDimensionNumbersAttr(pb.Message):
    """The meaning of each dimension of the input, the filter and the output of a convolution.

    The attribute `dimension_numbers` of UniformQuantizedConvolution holds it, serialized. Spatial dimensions are as
    many as the rank less two.
    """

    input_batch_dimension: int = pb.int64(1)
    input_feature_dimension: int = pb.int64(2)
    input_spatial_dimensions: list[int] = pb.repeated(pb.int64, 3)
    kernel_input_feature_dimension: int = pb.int64(4)
    kernel_output_feature_dimension: int = pb.int64(5)
    kernel_spatial_dimensions: list[int] = pb.repeated(pb.int64, 6)
    output_batch_dimension: int = pb.int64(7)
    output_feature_dimension: int = pb.int64(8)
    output_spatial_dimensions: list[int] = pb.repeated(pb.int64, 9)
