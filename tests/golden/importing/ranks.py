"""Ask TensorFlow which ranks the inputs of its ops may have, and print the table in tfmodel/ops/input_ranks.py.

    python -m tests.golden.importing.ranks            # with a Python that has TensorFlow 2.12; ten minutes or more

Each input of an op in turn gets every rank: as a Placeholder beside others of unknown shape, for many values of each
attribute; as a constant, if it is an integer; and as a Placeholder beside others of known rank. A rank that TensorFlow
accepts in any of these graphs is allowed. Ops for which that is not certain are left out: those that need functions,
those that end the process, and those that allow some attributes only together with others.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from tests.golden.importing.answers import PRODUCER, import_answer
from tests.golden.isolation import run_isolated
from tfmodel.errors import GraphError
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, TensorShapeProto, VersionDef
from tfmodel.ops import OPS
from tfmodel.ops.ports import REFERENCE_OFFSET, input_types
from tfmodel.values.tensors import from_ndarray

RANKS = range(7)
WIDTH = 118
_MAX_INPUTS = 12
_SECONDS = 30
_TRIED_TYPES = ("FLOAT", "INT32", "INT64", "STRING", "RESOURCE", "VARIANT")
_INTEGERS = {DataType.DT_INT32: np.int32, DataType.DT_INT64: np.int64}
_SURE = {"AudioSpectrogram", "DecodeBmp", "DecodeImage", "DecodeJpeg", "DecodePng"}
"""Ops that refuse some values of an attribute in any case."""


def _shape(rank: int | None) -> TensorShapeProto:
    if rank is None:
        return TensorShapeProto(unknown_rank=True)
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1)] * rank)


def _values(row: OpDef.AttrDef) -> list[AttrValue]:
    """Return values to try for an attribute; none for a function or a tensor."""
    allowed = row.allowed_values.list if row.allowed_values is not None else None
    least = row.minimum if row.has_minimum else -1
    types = [*allowed.type] if allowed is not None else []
    types = types or [DataType[f"DT_{name}"] for name in _TRIED_TYPES]
    counts = [count for count in (2, 0, 1, 3, 4, 5, 6) if count >= row.minimum]
    lists = {"int": ("i", 1), "float": ("f", 1.0), "string": ("s", b"a"), "type": ("type", types[0])}
    kind = row.type.removeprefix("list(").removesuffix(")")
    if kind == "shape" and kind != row.type:
        return [AttrValue(list=AttrValue.ListValue(shape=[_shape(None)] * count)) for count in counts]
    if kind != row.type:
        field, element = lists.get(kind, ("", None))
        return [AttrValue(list=AttrValue.ListValue(**{field: [element] * count})) for count in counts] if field else []
    texts = [*allowed.s] if allowed is not None else []
    values = {
        "bool": [AttrValue(b=True), AttrValue(b=False)],
        "float": [AttrValue(f=1.0)],
        "int": [AttrValue(i=number) for number in (2, 0, 1, 3, -1, 5) if number >= least],
        "shape": [AttrValue(shape=_shape(rank)) for rank in (None, 0, 1, 2, 3)],
        "string": [AttrValue(s=text) for text in texts or [b"", b"x", b"NHWC", b"NCHW"]],
        "type": [AttrValue(type=dtype) for dtype in types[:8]],
    }
    return values.get(row.type, [])


def _nodes(op: OpDef) -> Iterator[NodeDef]:
    """Yield nodes of an op: one, and others with another value of one attribute. Nothing if an attribute has none."""
    base = NodeDef(name="node", op=op.name)
    for row in op.attr:
        values = [row.default_value] if row.default_value is not None else _values(row)
        if not values:
            return
        base.attr[row.name] = copy.deepcopy(values[0])
    yield base
    for row in op.attr:
        for value in _values(row):
            changed = copy.deepcopy(base)
            changed.attr[row.name] = value
            yield changed


def _arguments(node: NodeDef, op: OpDef) -> list[int]:
    """Return the number of the declared argument for each input of a node."""
    numbers = []
    for number, row in enumerate(op.input_arg):
        types = node.attr[row.type_list_attr].list if row.type_list_attr else None
        count = node.attr[row.number_attr].i if row.number_attr else len(types.type) if types is not None else 1
        numbers += [number] * (count or 0)
    return numbers


def _imports(node: NodeDef, op: OpDef, ranks: dict[int, int], constants: dict[int, np.ndarray] | None = None) -> bool:
    """Return whether TensorFlow imports a node whose inputs have these ranks or values, by their numbers."""
    graph = GraphDef(versions=VersionDef(producer=PRODUCER))
    node = copy.deepcopy(node)
    for number, dtype in enumerate(input_types(node, op)):
        shape = AttrValue(shape=_shape(ranks.get(number)))
        made = NodeDef(name=f"in{number}", op="Placeholder", attr={"dtype": AttrValue(type=dtype), "shape": shape})
        if dtype > REFERENCE_OFFSET:
            held = AttrValue(type=DataType(dtype - REFERENCE_OFFSET))
            made = NodeDef(name=made.name, op="VariableV2", attr={"dtype": held, "shape": shape})
        if constants is not None and number in constants:
            value = AttrValue(tensor=from_ndarray(constants[number]))
            made = NodeDef(name=made.name, op="Const", attr={"dtype": AttrValue(type=dtype), "value": value})
        graph.node.append(made)
        node.input.append(made.name)
    graph.node.append(node)
    return not import_answer(graph)


def _allowed(op: OpDef) -> list[list[int]] | None:
    """Return the ranks that each argument of an op may have; None if they are not certain."""
    allowed: list[set[int]] = [set() for _ in op.input_arg]
    first: NodeDef | None = None
    for node in _nodes(op):
        try:
            types, arguments = list(input_types(node, op)), _arguments(node, op)
        except GraphError:
            continue
        if len(types) > _MAX_INPUTS:
            continue
        if not _imports(node, op, {}):
            if first is None or op.name not in _SURE:
                return None
            continue
        first = first or node
        for place, argument in enumerate(arguments):
            for rank in RANKS:
                if rank not in allowed[argument] and _accepts(node, op, place, rank, types[place]):
                    allowed[argument].add(rank)
    if first is None:
        return None
    _with_known_ranks(first, op, allowed)
    return [sorted(ranks) or [*RANKS] for ranks in allowed]


def _accepts(node: NodeDef, op: OpDef, place: int, rank: int, dtype: DataType) -> bool:
    if _imports(node, op, {place: rank}):
        return True
    values = (-1, 0, 1) if dtype in _INTEGERS and rank < 3 else ()
    return any(_imports(node, op, {}, {place: np.full((1,) * rank, value, _INTEGERS[dtype])}) for value in values)


def _with_known_ranks(node: NodeDef, op: OpDef, allowed: list[set[int]]) -> None:
    """Add the ranks that are accepted only where those of the other inputs are known."""
    arguments = _arguments(node, op)
    for place, argument in enumerate(arguments):
        for rank in set(RANKS) - allowed[argument]:
            fills = [{p: r if r in allowed[a] else min(allowed[a]) for p, a in enumerate(arguments)} for r in range(5)]
            fills.append(dict.fromkeys(range(len(arguments)), rank))
            if any(_imports(node, op, fill | {place: rank}) for fill in fills):
                allowed[argument].add(rank)


def _word(ranks: list[int]) -> str:
    if len(ranks) == len(RANKS) or ranks != [*range(ranks[0], ranks[-1] + 1)]:
        return "-"
    if len(ranks) == 1:
        return str(ranks[0])
    return f"{ranks[0]}+" if ranks[-1] == RANKS[-1] else f"{ranks[0]}..{ranks[-1]}"


def _words(op: OpDef, allowed: list[list[int]]) -> str:
    """Return the ranks of the inputs, in the form of the table; "" if all may have any rank."""
    is_list = [bool(row.number_attr or row.type_list_attr) for row in op.input_arg]
    words = [_word(ranks) + "*" * listed for ranks, listed in zip(allowed, is_list, strict=True)]
    if sum(is_list) > 1:  # the numbers of the inputs after the first list are not fixed
        words = words[: is_list.index(True)]
    while words and words[-1] in ("-", "-*"):
        words.pop()
    return " ".join(words) if any(word.strip("-*") for word in words) else ""


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    by_words: dict[str, list[str]] = {}
    for op in OPS.values():
        is_old = op.deprecation is not None and op.deprecation.version
        if op.name.startswith("_") or "TPU" in op.name or is_old or not op.input_arg:
            continue
        answer = run_isolated(lambda op=op: _allowed(op), seconds=_SECONDS)
        if isinstance(answer, list) and (words := _words(op, answer)):
            by_words.setdefault(words, []).append(op.name)
    for words, names in by_words.items():
        line = ""
        for name in sorted(names):
            if line and len(f"{line}|{name} {words}") > WIDTH:
                yield f"{line} {words}"
                line = ""
            line = f"{line}|{name}" if line else name
        yield f"{line} {words}"


if __name__ == "__main__":
    print("\n".join(sorted(table())))
