"""Shape rules of ops that decode tf.Example, tf.SequenceExample, CSV, raw bytes and audio."""

from __future__ import annotations

from ...errors import GraphError
from ...messages import DataType, TensorShapeProto
from ...values.dtypes import dtype_of
from ...values.shape import SCALAR, Shape, shape_of_proto, with_rank
from .table import Call, Result, Rule, divide_dim, same_shape, scalar


def _decode_raw(call: Call) -> Result:
    shape = call.shape(0)
    return None if shape is None else (*shape, None)


def _decode_wav(call: Call) -> Result:
    channels = call.attr("desired_channels", int, -1)
    return [(None, None if channels < 0 else channels), SCALAR]


def _spectrogram(call: Call) -> Result:
    samples, channels = with_rank(call.shape(0), 2)
    window, stride = call.attr("window_size", int), call.attr("stride", int)
    if window < 2:
        raise GraphError(f"window_size must be greater than 1, got {window}")
    if stride < 1:
        raise GraphError(f"stride must be positive, got {stride}")
    count = None if samples is None else 1 + (samples - window) // stride if samples >= window else 0
    return channels, count, 1 + (1 << (window - 1).bit_length()) // 2


def _csv(call: Call) -> Result:
    return [call.shape(0)] * len(call.attr("OUT_TYPE", list[DataType], []))


def _features(batch: Shape | None, sparse: int, dense: list[Shape | None]) -> list[Shape | None]:
    """Return indices, values and shape for each sparse feature, and one tensor for each dense feature."""
    rank = None if batch is None else len(batch) + 1
    sparse_outputs: list[Shape | None] = [(None, rank)] * sparse + [(None,)] * sparse + [(rank,)] * sparse
    return sparse_outputs + [None if batch is None or shape is None else (*batch, *shape) for shape in dense]


def _shapes(call: Call, name: str) -> list[Shape | None]:
    return [shape_of_proto(shape) for shape in call.attr(name, list[TensorShapeProto], [])]


def _sparse_count(call: Call) -> int:
    return len(call.attr("sparse_types", list[DataType], []))


def _dense(call: Call) -> list[Shape | None]:
    return _shapes(call, "dense_shapes")


def _parse_example(call: Call) -> Result:
    return list(_features(with_rank(call.shape(0), 1), _sparse_count(call), _dense(call)))


def _parse_single_example(call: Call) -> Result:
    return list(_features((), _sparse_count(call), _dense(call)))


def _parse_example_v2(call: Call) -> Result:
    batch = call.shape(0)
    outputs = _features(batch, _sparse_count(call), _dense(call))
    values = call.attr("ragged_value_types", list[DataType], [])
    splits = call.attr("ragged_split_types", list[DataType], [])
    size = batch[0] + 1 if batch and batch[0] is not None else None
    return [*outputs, *[(None,)] * len(values), *[(size,) if batch else (None,)] * len(splits)]


def _sequences(call: Call, batch: Shape | None, *, with_lengths: bool) -> Result:
    """Return the shapes for features of the context and for lists of features, which have one more dimension."""
    context = _features(batch, len(_types(call, "context_sparse_types")), _shapes(call, "context_dense_shapes"))
    splits = _splits_shape(batch)
    context += [(None,)] * len(_types(call, "context_ragged_value_types"))
    context += [splits] * len(_types(call, "context_ragged_split_types"))
    steps = None if batch is None else (*batch, None)
    sparse, dense = _types(call, "feature_list_sparse_types"), _shapes(call, "feature_list_dense_shapes")
    lists = _features(steps, len(sparse), dense) + [batch] * (len(dense) if with_lengths else 0)
    ragged = len(_types(call, "feature_list_ragged_value_types"))
    return [*context, *lists, *[(None,)] * ragged, *[splits] * ragged, *[(None,)] * ragged]


def _splits_shape(batch: Shape | None) -> Shape:
    """Return the shape of row splits of a batch; unknown for a single example."""
    return (batch[0] + 1 if batch and batch[0] is not None else None,)


def _types(call: Call, name: str) -> list[DataType]:
    return call.attr(name, list[DataType], [])


def _parse_sequence_example(call: Call) -> Result:
    return _sequences(call, with_rank(call.shape(0), 1), with_lengths=True)


def _parse_sequence_example_v2(call: Call) -> Result:
    return _sequences(call, call.shape(0), with_lengths=True)


def _parse_single_sequence_example(call: Call) -> Result:
    return _sequences(call, (), with_lengths=False)


def _decode_padded(call: Call) -> Result:
    shape, size = call.shape(0), call.number(1)
    if size is not None and size <= 0:
        raise GraphError(f"fixed_length must be positive, got {size}")
    return None if shape is None else (*shape, divide_dim(size, dtype_of(call.attr("out_type", DataType)).itemsize))


RULES: dict[str, Rule] = {
    "AudioSpectrogram": _spectrogram,
    "DecodeCSV": _csv,
    "DecodeCompressed": same_shape,
    "DecodePaddedRaw": _decode_padded,
    "DecodeRaw": _decode_raw,
    "DecodeWav": _decode_wav,
    "EncodeWav": scalar,
    "Mfcc": lambda call: (*with_rank(call.shape(0), 3)[:2], call.attr("dct_coefficient_count", int, 13)),
    "ParseExample": _parse_example,
    "ParseExampleV2": _parse_example_v2,
    "ParseSequenceExample": _parse_sequence_example,
    "ParseSequenceExampleV2": _parse_sequence_example_v2,
    "ParseSingleExample": _parse_single_example,
    "ParseSingleSequenceExample": _parse_single_sequence_example,
    "ParseTensor": lambda call: None,
    "SerializeTensor": scalar,
}
