"""Whether a file may be an ONNX model, before its tables are imported: few files are, so others do not wait for them.

The answer is a guess: `formats.best_class` compares the fields with the tables.

    no       these are not the fields of a model
    maybe    they can be those of a model, or of a TensorProto of TensorFlow, which has the same numbers
    yes      no message of TensorFlow has them
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from pbwire.errors import DecodeError
from pbwire.wire import WireType, read_tag, read_varint, skip_field

Guess: TypeAlias = Literal["no", "maybe", "yes"]

_NUMBERS = {1: WireType.VARINT, 5: WireType.VARINT}  # ir_version, model_version
_LENGTHS = (2, 3, 4, 6, 7, 8, 14, 20, 25, 26)  # all other fields of ModelProto
_TYPES = {**_NUMBERS, **dict.fromkeys(_LENGTHS, WireType.LENGTH)}
_VERSION, _PRODUCER, _GRAPH, _FUNCTIONS = 1, 2, 7, 25
_BEGIN_SHAPES = (0x12, 0x18)  # the tags of TensorShapeProto, which no name begins with
_FIELDS_OF_GRAPHS = (1, 2, 5, 10, 11, 12, 13, 14, 15, 16)  # all of them are strings or messages
_MAX_FIELDS = 64  # that are examined: a model has few besides its graph and its functions

_NAMES = frozenset(("graph", "ir_version", "irVersion", "opset_import", "opsetImport", "functions"))
_ENOUGH_NAMES = 2


def guess_from_fields(data: bytes) -> Guess:
    """Return whether binary data may begin an ONNX model: its fields are those of one, with a graph or a function."""
    pos, end = 0, len(data)
    guess: Guess = "yes"
    has_version = False
    for _ in range(_MAX_FIELDS):
        if pos >= end:
            return "no"
        try:
            number, wire_type, start = read_tag(data, pos, end)
            if number in _TYPES and wire_type != _TYPES[number]:
                return "no"
            has_version = has_version or number == _VERSION
            if number == _FUNCTIONS:
                return guess
            if number == _GRAPH:
                length, start = read_varint(data, start, end)
                return guess if _may_be_graph(data, start, start + length) else "no"
            pos = skip_field(data, pos=start, end=end, number=number, wire_type=wire_type)
            if number == _PRODUCER:  # in a TensorProto, this is the shape, and the graph is a list of numbers
                first = data[start + 1 : pos]  # behind the length
                if first[:1] and first[0] in _BEGIN_SHAPES:
                    return "no"
                if not first and not has_version:  # in a MetaGraphDef, this is its graph
                    return "no"
                guess = "yes" if first else "maybe"
        except DecodeError:
            return "no"
    return "no"


def _may_be_graph(data: bytes, pos: int, end: int) -> bool:
    """Return whether the first field of a message can be one of a graph; the graph may be cut off."""
    if pos >= end or pos >= len(data):
        return pos == end
    try:
        number, wire_type, _ = read_tag(data, pos, len(data))
    except DecodeError:
        return False
    return wire_type == WireType.LENGTH and number in _FIELDS_OF_GRAPHS


def guess_from_names(names: Iterable[str]) -> Guess:
    """Return whether text or JSON with these outermost names may be an ONNX model."""
    return "yes" if len(_NAMES.intersection(names)) >= _ENOUGH_NAMES else "no"
