"""Whether a file may be an ONNX model, before its tables are imported: few files are, so others do not wait for them.

The answer is preliminary: `formats.best_class` compares the tables of the model with those of TensorFlow's messages.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbwire.errors import DecodeError
from pbwire.wire import WireType, read_tag, read_varint, skip_field

_NUMBERS = {1: WireType.VARINT, 5: WireType.VARINT}  # ir_version, model_version
_LENGTHS = (2, 3, 4, 6, 7, 8, 14, 20, 25, 26)  # all other fields of ModelProto
_TYPES = {**_NUMBERS, **dict.fromkeys(_LENGTHS, WireType.LENGTH)}
_GRAPH, _FUNCTIONS = 7, 25
_FIELDS_OF_GRAPHS = (1, 2, 5, 10, 11, 12, 13, 14, 15, 16)  # all of them are strings or messages
_MAX_FIELDS = 64  # that are examined: a model has few besides its graph and its functions

_NAMES = frozenset(("graph", "ir_version", "irVersion", "opset_import", "opsetImport", "functions"))
_ENOUGH_NAMES = 2


def may_be_model(data: bytes) -> bool:
    """Return whether binary data may begin an ONNX model: its fields are those of one, with a graph or a function."""
    pos, end = 0, len(data)
    for _ in range(_MAX_FIELDS):
        if pos >= end:
            return False
        try:
            number, wire_type, start = read_tag(data, pos, end)
            if number in _TYPES and wire_type != _TYPES[number]:
                return False
            if number == _FUNCTIONS:
                return True
            if number == _GRAPH:
                length, start = read_varint(data, start, end)
                return _may_be_graph(data, start, start + length)
            pos = skip_field(data, pos=start, end=end, number=number, wire_type=wire_type)
        except DecodeError:
            return False
    return False


def _may_be_graph(data: bytes, pos: int, end: int) -> bool:
    """Return whether the first field of a message can be one of a graph; the graph may be cut off."""
    if pos >= end or pos >= len(data):
        return pos == end
    try:
        number, wire_type, _ = read_tag(data, pos, len(data))
    except DecodeError:
        return False
    return wire_type == WireType.LENGTH and number in _FIELDS_OF_GRAPHS


def may_name_model(names: Iterable[str]) -> bool:
    """Return whether text or JSON with these outermost names may be an ONNX model."""
    return len(_NAMES.intersection(names)) >= _ENOUGH_NAMES
