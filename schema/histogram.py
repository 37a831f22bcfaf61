"""xla/tsl/protobuf/histogram.proto: a histogram of numbers."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["HistogramProto"]


@pb.message("tensorflow.HistogramProto")
class HistogramProto(pb.Message):
    """The distribution of values: totals, and counts by bucket."""

    min: float = pb.double(1)
    max: float = pb.double(2)
    num: float = pb.double(3)  # number of values
    sum: float = pb.double(4)
    sum_squares: float = pb.double(5)  # with `sum` and `num` it gives the variance
    # upper end of each bucket; the lower end is the one before, -DBL_MAX for the first
    bucket_limit: list[float] = pb.repeated(pb.double, 6)
    bucket: list[float] = pb.repeated(pb.double, 7)  # number of values in each; as long as bucket_limit
