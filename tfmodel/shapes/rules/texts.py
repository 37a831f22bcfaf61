"""Strings, and what is parsed of them."""

from __future__ import annotations

from ...dtypes import dtype_of
from ...errors import GraphError
from ...messages import DataType, TensorShapeProto
from ...ops.shape_rules import Call, Result, Rule, alike
from ...shape import SCALAR, Shape, axis_of, broadcast, merged, of_proto, ranked, size_of
from .elementwise import same
from .spaces import divided

__all__ = ["RULES"]


def _scalar(call: Call) -> Result:
    return SCALAR


def _join(call: Call) -> Result:
    """Scalars are joined to all elements of the others."""
    shape: Shape | None = SCALAR
    for each in call.shapes:
        if each is None:
            shape = None if shape == () else shape
        elif each != ():
            shape = merged(None if shape == () else shape, each)
    return shape if None not in call.shapes or shape != () else None


def _reduce_join(call: Call) -> Result:
    shape, axes, keep = call.shape(0), call.numbers(1), call.attr("keep_dims", bool, False)
    if shape is None or axes is None:
        return None if shape is None or not keep else (None,) * len(shape)
    gone = {axis_of(axis, len(shape)) for axis in axes}
    return tuple(1 if axis in gone else size for axis, size in enumerate(shape) if keep or axis not in gone)


def _split(call: Call) -> Result:
    return [(None, 2), (None,), (2,)]


def _substr(call: Call) -> Result:
    merged(call.shape(1), call.shape(2))
    return broadcast(call.shape(0), call.shape(1))


def _decode_raw(call: Call) -> Result:
    shape = call.shape(0)
    return None if shape is None else (*shape, None)


def _decode_wav(call: Call) -> Result:
    channels = call.attr("desired_channels", int, -1)
    return [(None, None if channels < 0 else channels), SCALAR]


def _csv(call: Call) -> Result:
    return [call.shape(0)] * len(call.attr("OUT_TYPE", list[DataType], []))


# --- examples --------------------------------------------------------------------------------------------------------


def _features(batch: Shape | None, sparse: int, dense: list[Shape | None]) -> list[Shape | None]:
    """Of each sparse feature its indices, values and shape; of each dense one a tensor."""
    rank = None if batch is None else len(batch) + 1
    found: list[Shape | None] = [(None, rank)] * sparse + [(None,)] * sparse + [(rank,)] * sparse
    return found + [None if batch is None or shape is None else (*batch, *shape) for shape in dense]


def _shapes(call: Call, name: str) -> list[Shape | None]:
    return [of_proto(shape) for shape in call.attr(name, list[TensorShapeProto], [])]


def _sparse_count(call: Call) -> int:
    return len(call.attr("sparse_types", list[DataType], []))


def _dense(call: Call) -> list[Shape | None]:
    return _shapes(call, "dense_shapes")


def _parse_example(call: Call) -> Result:
    return list(_features(ranked(call.shape(0), 1), _sparse_count(call), _dense(call)))


def _parse_single_example(call: Call) -> Result:
    return list(_features((), _sparse_count(call), _dense(call)))


def _parse_example_v2(call: Call) -> Result:
    batch = call.shape(0)
    found = _features(batch, _sparse_count(call), _dense(call))
    values = call.attr("ragged_value_types", list[DataType], [])
    splits = call.attr("ragged_split_types", list[DataType], [])
    size = batch[0] + 1 if batch and batch[0] is not None else None
    return [*found, *[(None,)] * len(values), *[(size,) if batch else (None,)] * len(splits)]


def _decode_unicode(call: Call) -> Result:
    """Where each text ends, and the characters, and where these begin."""
    count = size_of(call.shape(0))
    splits = (None if count is None else count + 1,)
    return [splits, *[(None,)] * (2 if call.node.op.endswith("Offsets") else 1)]


def _n_grams(call: Call) -> Result:
    ranked(call.shape(0), 1)
    return [(None,), ranked(call.shape(1), 1)]


def _decode_padded(call: Call) -> Result:
    shape, size = call.shape(0), call.number(1)
    if size is not None and size <= 0:
        raise GraphError(f"a length of {size} cannot be")
    return None if shape is None else (*shape, divided(size, dtype_of(call.attr("out_type", DataType)).itemsize))


RULES: dict[str, Rule] = {
    "DecodeCSV": _csv,
    "DecodeCompressed": same,
    "DecodePaddedRaw": _decode_padded,
    "DecodeRaw": _decode_raw,
    "DecodeWav": _decode_wav,
    "Mfcc": lambda call: (*ranked(call.shape(0), 3)[:2], call.attr("dct_coefficient_count", int, 13)),
    "ParseExample": _parse_example,
    "ParseExampleV2": _parse_example_v2,
    "ParseSingleExample": _parse_single_example,
    "ReduceJoin": _reduce_join,
    "StringJoin": _join,
    **alike("UnicodeDecode UnicodeDecodeWithOffsets", _decode_unicode),
    "StringNGrams": _n_grams,
    "StringSplit": _split,
    "StringSplitV2": _split,
    "Substr": _substr,
    "EncodeWav": _scalar,
    **alike("ReadFile SerializeTensor StringFormat MergeSummary ScalarSummary HistogramSummary ImageSummary", _scalar),
    **alike("AudioSummaryV2 TensorSummaryV2 AudioSummary TensorSummary Timestamp", _scalar),
    "ShardedFilename": _scalar,
    "ShardedFilespec": _scalar,
    "MatchingFiles": lambda call: (None,),
    **alike(
        """DecodeBase64 EncodeBase64 RegexFullMatch RegexReplace StaticRegexFullMatch StaticRegexReplace StringLength
        StringLower StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong StringToNumber
        StringUpper UnicodeScript UnicodeTranscode AsString""",
        same,
    ),
    "RestoreV2": lambda call: [None] * len(call.attr("dtypes", list[DataType], [])),
    "ParseTensor": lambda call: None,
}
