"""tensorflow/core/example/feature.proto: the values inside an Example."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["BytesList", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List"]


@pb.message("tensorflow.BytesList")
class BytesList(pb.Message):
    """Byte strings: text, encoded images, serialized tensors."""

    value: list[bytes] = pb.repeated(pb.bytes, 1)


@pb.message("tensorflow.FloatList")
class FloatList(pb.Message):
    """Float32 values."""

    value: list[float] = pb.repeated(pb.float, 1)


@pb.message("tensorflow.Int64List")
class Int64List(pb.Message):
    """Integers, including booleans and class numbers."""

    value: list[int] = pb.repeated(pb.int64, 1)


@pb.message("tensorflow.Feature")
class Feature(pb.Message):
    """The values of one feature, all of one kind. A feature without a kind is missing."""

    bytes_list: BytesList | None = pb.field(BytesList, 1, oneof="kind")
    float_list: FloatList | None = pb.field(FloatList, 2, oneof="kind")
    int64_list: Int64List | None = pb.field(Int64List, 3, oneof="kind")


@pb.message("tensorflow.Features")
class Features(pb.Message):
    """The features of an example, or the context of a sequence, by name."""

    feature: dict[str, Feature] = pb.map(pb.string, Feature, 1)


@pb.message("tensorflow.FeatureList")
class FeatureList(pb.Message):
    """One feature over time: an entry per step, all of the same kind; an entry may be empty."""

    feature: list[Feature] = pb.repeated(Feature, 1)


@pb.message("tensorflow.FeatureLists")
class FeatureLists(pb.Message):
    """The features of a sequence that vary over time, by name."""

    feature_list: dict[str, FeatureList] = pb.map(pb.string, FeatureList, 1)
