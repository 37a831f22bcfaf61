"""Small graphs with nodes that keep state or print, and the runs to do one after the other.

A program is a graph and its runs; a run has feeds and fetches. b"@NAME" in a feed is the path of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.kernel_cases import attribute, f32, i32, i64, strings
from tfmodel.messages import DataType, GraphDef, NodeDef, VersionDef
from tfmodel.ops import OPS
from tfmodel.values.dtypes import natural_dtype

__all__ = ["PROGRAMS", "Program"]

Run = tuple[Mapping[str, Any], Sequence[str]]

S, L, F = DataType.DT_STRING, DataType.DT_INT64, DataType.DT_FLOAT


@dataclass(frozen=True)
class Program:
    """`unordered` results are keys and values in any order."""

    name: str
    graph: GraphDef
    runs: Sequence[Run]
    files: Mapping[str, bytes] = field(default_factory=dict)
    unordered: bool = False


def _node(op: str, name: str, *inputs: str, **attributes: Any) -> NodeDef:
    kinds = {attr.name: attr.type for attr in OPS[op].attr}
    attrs = {key: attribute(value, kinds[key]) for key, value in attributes.items()}
    return NodeDef(name=name, op=op, input=list(inputs), attr=attrs)


def _graph(*nodes: NodeDef) -> GraphDef:
    return GraphDef(node=list(nodes), versions=VersionDef(producer=1286))


def _const(name: str, value: Any) -> NodeDef:
    row = natural_dtype(np.asarray(value).dtype)
    return _node("Const", name, dtype=S if row is None else row.number, value=np.asarray(value))


def _fed(name: str, dtype: DataType) -> NodeDef:
    return _node("Placeholder", name, dtype=dtype)


# --- tables ----------------------------------------------------------------------------------------------------------

_WORDS = strings(["a", "b", "c"])


def _vocabulary(version: str, key: DataType, value: DataType) -> GraphDef:
    """A table that is filled once."""
    types = {"Tkey": key, "Tval": value}
    find = {"Tin": key, "Tout": value}
    return _graph(
        _node(f"HashTable{version}", "t", key_dtype=key, value_dtype=value),
        _fed("k", key),
        _fed("v", value),
        _fed("q", key),
        _fed("d", value),
        _node(f"InitializeTable{version}", "init", "t", "k", "v", **types),
        _node(f"LookupTableFind{version}", "find", "t", "q", "d", **find),
        _node(f"LookupTableSize{version}", "size", "t"),
        _node(f"LookupTableExport{version}", "export", "t", Tkeys=key, Tvalues=value),
    )


def _filled(keys: Any, values: Any) -> Run:
    return {"k": keys, "v": values}, ["init"]


def _found(query: Any, default: Any) -> Run:
    return {"q": query, "d": default}, ["find", "size"]


_ONCE = [
    Program(
        f"words{version}",
        _vocabulary(version, S, L),
        [
            _filled(_WORDS, i64([1, 2, 3])),
            _found(strings(["b", "x", "a", "a"]), i64(-1)),
            _found(strings([["c"]]), i64(9)),
            _found(strings("b"), i64(9)),
            _found(np.zeros((0, 2), object), i64(9)),
            _found(_WORDS, i64([7, 8, 9])),
            _found(strings(["x", "b"]), i64([7, 8])),
            _found(_WORDS, i64([7, 8])),
            _filled(_WORDS, i64([4, 5, 6])),
            _found(_WORDS, i64(-1)),
            _filled(strings(["z"]), i64([4])),
            ({}, ["size"]),
        ],
    )
    for version in ("", "V2")
]
_ONCE += [
    Program(
        "numbers to words",
        _vocabulary("V2", L, S),
        [
            _filled(i64([5, -3, 2**40]), _WORDS),
            _found(i64([[2**40, 0], [-3, 5]]), strings("?")),
        ],
    ),
    Program(
        "int32 to float",
        _vocabulary("V2", DataType.DT_INT32, F),
        [
            _filled(i32([1, 2]), np.array([0.1, np.inf], np.float32)),
            _found(i32([2, 1, 0]), np.float32(0.5)),
        ],
    ),
    Program("words to words", _vocabulary("V2", S, S), [_filled(_WORDS, _WORDS[::-1]), _found(_WORDS, strings(""))]),
    Program(
        "a key twice, with one value",
        _vocabulary("V2", S, L),
        [_filled(strings(["a", "a"]), i64([1, 1])), _found(_WORDS, i64(0))],
    ),
    Program("a key twice, with two values", _vocabulary("V2", S, L), [_filled(strings(["a", "a"]), i64([1, 2]))]),
    Program("more values than keys", _vocabulary("V2", S, L), [_filled(strings(["a", "b"]), i64([1, 2, 3]))]),
    Program("keys of two dimensions", _vocabulary("V2", S, L), [_filled(strings([["a", "b"]]), i64([[1, 2]]))]),
    Program(
        "exported",
        _vocabulary("V2", S, L),
        [_filled(_WORDS, i64([1, 2, 3])), ({}, ["export:0", "export:1"])],
        unordered=True,
    ),
]


def _changing(op: str, key: DataType, value: DataType, *reserved: NodeDef, **attributes: Any) -> GraphDef:
    types = {"Tin": key, "Tout": value}
    names = [node.name for node in reserved]
    return _graph(
        *reserved,
        _node(op, "t", *names, key_dtype=key, value_dtype=value, **attributes),
        _fed("k", key),
        _fed("v", value),
        _fed("q", key),
        _fed("d", value),
        _node("LookupTableInsertV2", "insert", "t", "k", "v", **types),
        _node("LookupTableImportV2", "import", "t", "k", "v", **types),
        _node("LookupTableRemoveV2", "remove", "t", "q", Tin=key),
        _node("LookupTableFindV2", "find", "t", "q", "d", **types),
        _node("LookupTableSizeV2", "size", "t"),
        _node("LookupTableExportV2", "export", "t", Tkeys=key, Tvalues=value),
    )


def _life(keys: Any, values: Any, missing: Any, default: Any, *, refill: str = "import") -> list[Run]:
    """A table of three keys: values inserted, changed, removed, all replaced."""
    turned = {"k": keys[:2], "v": values[1:3]}
    return [
        _found(keys, default),
        ({"k": keys[:2], "v": values[:2]}, ["insert"]),
        _found(keys, default),
        (turned, ["insert"]),
        _found(keys, default),
        ({"q": keys[1:]}, ["remove"]),
        _found(keys, default),
        ({"q": missing}, ["remove"]),
        _found(missing, default),
        ({"k": keys[1:], "v": values[1:]}, [refill]),
        _found(keys, default),
        ({"k": keys[[0, 0]], "v": values[:2]}, ["insert"]),
        _found(keys, default),
        ({"k": keys, "v": values[:2]}, ["insert"]),
        _found(keys, default),
    ]


_NONE_AND_GONE = _const("none", i64(-1)), _const("gone", i64(-2))
_PAIR_KEYS = _const("none", i64([-1, -1])), _const("gone", i64([-2, -2]))

_MUTABLE = [
    Program("mutable", _changing("MutableHashTableV2", S, L), _life(_WORDS, i64([1, 2, 3]), strings(["?"]), i64(-1))),
    Program(
        "mutable numbers", _changing("MutableHashTableV2", L, F), _life(i64([5, 6, 7]), f32(3), i64([1]), np.float32(0))
    ),
    Program(
        "of vectors",
        _changing("MutableHashTableOfTensorsV2", S, F, value_shape=(2,)),
        _life(_WORDS, f32(3, 2), strings(["?"]), f32(2)),
    ),
    Program(
        "of vectors, with many defaults",
        _changing("MutableHashTableOfTensorsV2", S, F, value_shape=(2,)),
        [
            ({"k": _WORDS, "v": f32(3, 2)}, ["insert"]),
            _found(strings(["b", "?"]), f32(2, 2)),
            _found(strings([["b", "?"]]), f32(2)),
            _found(strings(["b", "?"]), np.float32(1)),
            _found(strings("c"), f32(2)),
        ],
    ),
    Program(
        "dense",
        _changing("MutableDenseHashTableV2", L, L, *_NONE_AND_GONE, value_shape=()),
        _life(i64([5, 6, 7]), i64([50, 60, 70]), i64([1]), i64(0), refill="insert"),
    ),
    Program(
        "dense, of vectors",
        _changing("MutableDenseHashTableV2", L, F, *_NONE_AND_GONE, value_shape=(2,)),
        _life(i64([5, 6, 7]), f32(3, 2), i64([1]), f32(2), refill="insert"),
    ),
    Program(
        "dense, from vectors",
        _changing("MutableDenseHashTableV2", L, L, *_PAIR_KEYS, value_shape=()),
        _life(i64([[5, 1], [6, 1], [7, 1]]), i64([50, 60, 70]), i64([[1, 5]]), i64(0), refill="insert"),
    ),
    Program(
        "keys that are not allowed",
        _changing("MutableDenseHashTableV2", L, L, *_NONE_AND_GONE, value_shape=()),
        [
            ({"k": i64([-1]), "v": i64([1])}, ["insert"]),
            ({"k": i64([-2]), "v": i64([1])}, ["insert"]),
            _found(i64([-1]), i64(0)),
            _found(i64([-2]), i64(0)),
            ({"q": i64([-1])}, ["remove"]),
        ],
    ),
    Program(
        "none and gone the same",
        _changing("MutableDenseHashTableV2", L, L, _const("none", i64(1)), _const("gone", i64(1)), value_shape=()),
        [({}, ["size"])],
    ),
    *(
        Program(
            f"{op} exported",
            _changing(op, L, F, **attributes),
            [({"k": i64([5, 6, 7]), "v": f32(3, *size)}, ["insert"]), ({}, ["export:0", "export:1"])],
            unordered=True,
        )
        for op, attributes, size in (
            ("MutableHashTableV2", {}, ()),
            ("MutableHashTableOfTensorsV2", {"value_shape": (2,)}, (2,)),
        )
    ),
]


def _file_table(key: DataType, value: DataType, **attributes: Any) -> GraphDef:
    find = {"Tin": key, "Tout": value}
    return _graph(
        _node("HashTableV2", "t", key_dtype=key, value_dtype=value),
        _fed("file", S),
        _fed("q", key),
        _fed("d", value),
        _node("InitializeTableFromTextFileV2", "init", "t", "file", **attributes),
        _node("LookupTableFindV2", "find", "t", "q", "d", **find),
        _node("LookupTableSizeV2", "size", "t"),
    )


_VOCABULARIES = {
    "plain": b"a\nb\n c \n",
    "no end": b"a\nb\nc",
    "dos": b"a\r\nb\r\nc\r\n",
    "blank": b"a\n\nb\n",
    "empty": b"",
    "columns": b"a\t1\t0.5\nb\t22\t1e3\nc\t-3\tinf\n",
    "twice": b"a\nb\na\n",
    "spaces": b"a 1\nb 2\n",
    "few": b"a\t1\nb\n",
    "no numbers": b"a\tx\n",
}
_ASK_WORDS = {"q": strings(["a", "b", "c", " c ", "", "d"]), "d": i64(-1)}
_ASK_NUMBERS = {"q": i64([0, 1, 2, 3, -1]), "d": strings("?")}
_LINES_TO_NUMBERS: dict[str, Any] = {"key_index": -2, "value_index": -1}


def _of_file(name: str, key: DataType, value: DataType, ask: Mapping[str, Any], **attributes: Any) -> Program:
    words = " ".join(f"{key}={value}" for key, value in attributes.items())
    return Program(
        f"{name}: {words}",
        _file_table(key, value, **attributes),
        [({"file": strings(f"@{name}")}, ["init"]), (ask, ["find", "size"])],
        _VOCABULARIES,
    )


_FILES = [
    *(_of_file(name, S, L, _ASK_WORDS, **_LINES_TO_NUMBERS) for name in _VOCABULARIES if name != "empty"),
    *(_of_file("plain", S, L, _ASK_WORDS, **_LINES_TO_NUMBERS, vocab_size=size) for size in (2, 3, 4)),
    _of_file("plain", S, L, _ASK_WORDS, **_LINES_TO_NUMBERS, offset=10),
    *(_of_file(name, L, S, _ASK_NUMBERS, key_index=-1, value_index=-2) for name in ("plain", "no end", "twice")),
    _of_file("columns", S, L, _ASK_WORDS, key_index=0, value_index=1),
    _of_file("columns", L, S, _ASK_NUMBERS, key_index=1, value_index=0),
    _of_file("columns", S, F, {"q": _WORDS, "d": np.float32(0)}, key_index=0, value_index=2),
    _of_file("columns", S, L, _ASK_WORDS, key_index=0, value_index=5),
    _of_file("spaces", S, L, _ASK_WORDS, key_index=0, value_index=1, delimiter=b" "),
    _of_file("few", S, L, _ASK_WORDS, key_index=0, value_index=1),
    _of_file("no numbers", S, L, _ASK_WORDS, key_index=0, value_index=1),
]

# --- printing --------------------------------------------------------------------------------------------------------

_PRINTED = [
    np.array([-1.5, 2.25, 0.1, 1 / 3, 1e10, np.nan, np.inf], np.float32),
    np.array([0.1, 1 / 3, 1e300]),
    f32(2, 3),
    i64(range(24)).reshape(2, 3, 4),
    np.array([True, False, True, True]),
    np.array([[True, False], [True, True]]),
    strings(["a\n\"'é", "b", "c", "d"]),
    strings("text"),
    np.float32(-1.5),
    np.zeros((0, 3), np.float32),
    np.array([1 + 2j, 3, 4, 5]),
    np.array([65, -3], np.int8),
    f32(3, 1, 2),
    f32(1, 1, 1),
    f32(2).astype(np.float16),
]


def _printing(*tensors: Any, **attributes: Any) -> GraphDef:
    nodes = [_const(f"c{number}", tensor) for number, tensor in enumerate(tensors)]
    types = [node.attr["dtype"].type for node in nodes]
    names = [node.name for node in nodes]
    return _graph(*nodes, _node("Print", "p", "c0", *names, T=types[0], U=types, **attributes))


_MINIMUM, _MAXIMUM = np.float32(-1.5), np.float32(2.25)
_PRINTS = [
    *(
        Program(
            f"Print {tensor.dtype}{list(tensor.shape)} {most}",
            _printing(tensor, message=b"m:", summarize=most),
            [({}, ["p"])],
        )
        for tensor in _PRINTED
        for most in (3, -1, 1, 5, 0)
    ),
    Program("ranges", _printing(_MINIMUM, _MAXIMUM, message=b";name__print__;__requant_min_max:"), [({}, ["p"])]),
    Program("Print twice", _printing(f32(2), first_n=2), [({}, ["p"])] * 4),
    Program("Print never", _printing(f32(2), first_n=0), [({}, ["p"])]),
    *(
        Program(
            f"PrintV2 {end!r}",
            _graph(_const("c", strings("héllo\nworld")), _node("PrintV2", "p", "c", end=end)),
            [({}, ["p"])],
        )
        for end in (b"\n", b"!\n")
    ),
    Program("PrintV2 of two", _graph(_fed("c", S), _node("PrintV2", "p", "c")), [({"c": _WORDS}, ["p"])]),
]

# --- random numbers --------------------------------------------------------------------------------------------------


def _seeded(op: str, *inputs: Any, **attributes: Any) -> Program:
    """A node with seeds, which goes on in its numbers from run to run, beside another one with the same seeds."""
    constants = [_const(f"c{number}", value) for number, value in enumerate(inputs)]
    names = [node.name for node in constants]
    nodes = [_node(op, name, *names, seed=3, seed2=8, **attributes) for name in ("a", "b")]
    return Program(op, _graph(*constants, *nodes), [({}, ["a"]), ({}, ["a", "b"]), ({}, ["b"]), ({}, ["a", "a"])])


_RANDOM = [
    _seeded("RandomUniform", i32([3]), dtype=F, T=DataType.DT_INT32),
    _seeded("RandomUniformInt", i32([5]), i32(0), i32(1000), Tout=DataType.DT_INT32, T=DataType.DT_INT32),
    _seeded("RandomShuffle", i32([*range(9)]), T=DataType.DT_INT32),
    _seeded("Multinomial", f32(2, 9), i32(4), T=F, output_dtype=L),
]

# --- elements of variables -------------------------------------------------------------------------------------------


def _scattered(name: str, ref: bool) -> Program:
    """A variable whose elements and rows are changed, some of them twice, some out of range."""
    value, changes = np.float32([[1, 2], [3, 4], [5, 6]]), np.float32([10, -1])
    op = "ScatterNd" if ref else "ResourceScatterNd"
    if ref:
        variable = [
            _node("VariableV2", "v", dtype=F, shape=value.shape),
            _const("value", value),
            _node("Assign", "init", "v", "value", T=F),
            _node("Identity", "read", "v", T=F),
        ]
    else:
        variable = [
            _node("VarHandleOp", "v", dtype=F, shape=value.shape),
            _const("value", value),
            _node("AssignVariableOp", "init", "v", "value", dtype=F),
            _node("ReadVariableOp", "read", "v", dtype=F),
        ]
    return Program(
        f"{op}{name}",
        _graph(
            *variable,
            _const("elements", i32([[0, 1], [2, 0]])),
            _const("rows", i32([[1]])),
            _const("twice", i32([[0, 0], [0, 0]])),
            _const("wrong", i32([[0, 2], [0, 0]])),
            _const("changes", changes),
            _const("row", changes[np.newaxis]),
            _node(f"{op}{name}", "of_elements", "v", "elements", "changes", T=F, Tindices=DataType.DT_INT32),
            _node(f"{op}{name}", "of_rows", "v", "rows", "row", T=F, Tindices=DataType.DT_INT32),
            _node(f"{op}{name}", "of_one", "v", "twice", "changes", T=F, Tindices=DataType.DT_INT32),
            _node(f"{op}{name}", "of_none", "v", "wrong", "changes", T=F, Tindices=DataType.DT_INT32),
        ),
        [({}, [fetch]) for fetch in ("init", "of_elements", "read", "of_rows", "read", "of_none", "read")]
        + ([] if name == "Update" else [({}, ["of_one"]), ({}, ["read"])]),
    )


_SCATTERED = [_scattered(name, ref) for name in ("Update", "Add", "Sub", "Min", "Max") for ref in (True, False)]

PROGRAMS = [*_ONCE, *_MUTABLE, *_FILES, *_PRINTS, *_RANDOM, *_SCATTERED]
