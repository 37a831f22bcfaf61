"""tensorflow/core/example/example.proto: one training example, the record of most TFRecord files."""

from __future__ import annotations

from pbwire import table as pb

from .feature import FeatureLists, Features

__all__ = ["Example", "SequenceExample"]


@pb.message("tensorflow.Example")
class Example(pb.Message):
    """A set of named features: one row of a data set.

    Data pipelines write these into TFRecord files and `tf.io.parse_example` reads them. Shapes are not stored: the
    parser has to know that a feature is, say, 28 by 28. Values are in row-major order. A name that is missing takes
    the parser's default; an empty list has no values, which only features of variable length allow.
    """

    features: Features | None = pb.field(Features, 1)


@pb.message("tensorflow.SequenceExample")
class SequenceExample(pb.Message):
    """An example with a time axis, for `tf.io.parse_sequence_example`."""

    context: Features | None = pb.field(Features, 1)  # features of the whole sequence
    feature_lists: FeatureLists | None = pb.field(FeatureLists, 2)  # features that have a value per step
