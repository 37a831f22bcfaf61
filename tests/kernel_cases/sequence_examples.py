"""Features and feature lists of serialized SequenceExamples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, f32, i64, strings
from tfmodel.messages import (
    BytesList,
    DataType,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)

_S, _F, _L = DataType.DT_STRING, DataType.DT_FLOAT, DataType.DT_INT64
_NO_KEYS = np.zeros(0, object)
_NO_DEFAULT = {_S: _NO_KEYS, _F: f32(0), _L: i64([])}


def feature(values: list[Any] | None) -> Feature:
    """A feature of strings, floats or integers; of an empty list, one of integers; of None, one without a kind."""
    if values is None:
        return Feature()
    if values and isinstance(values[0], bytes):
        return Feature(bytes_list=BytesList(value=values))
    if values and isinstance(values[0], float):
        return Feature(float_list=FloatList(value=values))
    return Feature(int64_list=Int64List(value=values))


def sequence(context: dict[str, Any], lists: dict[str, list[Any]]) -> bytes:
    features = {name: feature(values) for name, values in context.items()}
    by_name = {name: FeatureList(feature=[feature(values) for values in steps]) for name, steps in lists.items()}
    return SequenceExample(
        context=Features(feature=features), feature_lists=FeatureLists(feature_list=by_name)
    ).to_bytes()


ROWS = [
    sequence({"a": [1, 2], "b": [b"x"], "c": [0.5, 1.5]}, {"p": [[1, 2], [3, 4]], "q": [[b"u"], [b"v", b""], None]}),
    sequence({"a": [], "c": [2.5, 3.5]}, {"p": [[5, 6]], "q": [], "r": [[0.5, 1.0, 1.5], None, [2.0]]}),
    sequence({"b": [b"y", b"z"]}, {"p": [[7, 8], [9, 10], [11, 12]]}),
]
INPUTS: list[tuple[str, list[bytes]]] = [
    ("all", ROWS),
    ("two", ROWS[:2]),
    ("last", ROWS[2:]),
    ("none", []),
    ("empty", [b"", sequence({}, {})]),
    ("kindless", [sequence({"a": None, "b": None, "c": None}, {"p": [None], "q": [None], "r": [None, None]})]),
    ("of no values", [sequence({"a": []}, {"p": [[], []]})]),
    ("other types", [sequence({"a": [b"x"], "b": [1], "c": [1]}, {"p": [[0.5, 1.5]], "q": [[1]], "r": [[1]]})]),
    ("other empty types", [sequence({"b": [], "c": []}, {"q": [[]], "r": [[]]})]),
    ("uneven", [sequence({"c": [0.5]}, {"p": [[1], [2, 3, 4]], "r": [[1.0]]})]),
    ("wrong", [b"\xff\xff"]),
    ("cut", [ROWS[0][:-3]]),
]

_Sparse = dict[bytes, DataType]
_Dense = dict[bytes, tuple[DataType, list[int], Any]]
"""Types, shapes, and the default; of a list, whether it may be missing."""

CONTEXTS: list[tuple[_Sparse, _Dense]] = [
    ({}, {}),
    ({b"a": _L, b"b": _S, b"c": _F}, {}),
    ({b"a": _L}, {b"c": (_F, [2], None)}),
    ({b"b": _S}, {b"c": (_F, [2, 1], f32(2, 1))}),
    ({}, {b"c": (_F, [2], f32(2)), b"a": (_L, [2], i64([8, 9])), b"b": (_S, [], strings("-"))}),
    ({}, {b"c": (_F, [2], f32(1))}),
    ({}, {b"other": (_F, [], None)}),
]
LISTS: list[tuple[_Sparse, _Dense]] = [
    ({}, {}),
    ({b"p": _L, b"q": _S, b"r": _F}, {}),
    ({b"q": _S}, {b"p": (_L, [2], False)}),
    ({b"r": _F}, {b"p": (_L, [2, 1], True), b"q": (_S, [], True)}),
    ({}, {b"p": (_L, [], True)}),
    ({}, {b"r": (_F, [], False)}),
    ({}, {b"q": (_S, [1], True), b"other": (_F, [2], True)}),
]
PAIRS = [
    *((CONTEXTS[0], lists) for lists in LISTS),
    *((context, LISTS[0]) for context in CONTEXTS[1:]),
    (CONTEXTS[1], LISTS[1]),
    (CONTEXTS[3], LISTS[3]),
]


def _of_context(sparse: _Sparse, dense: _Dense) -> tuple[list[Any], dict[str, Any]]:
    defaults = [_NO_DEFAULT[dtype] if default is None else default for dtype, _, default in dense.values()]
    return defaults, {
        "Ncontext_sparse": len(sparse),
        "context_sparse_types": [*sparse.values()],
        "context_dense_shapes": [shape for _, shape, _ in dense.values()],
    }


def _of_lists(sparse: _Sparse, dense: _Dense) -> tuple[list[bytes], dict[str, Any]]:
    optional = [key for key, (_, _, may_be_missing) in dense.items() if may_be_missing]
    return optional, {
        "Nfeature_list_sparse": len(sparse),
        "Nfeature_list_dense": len(dense),
        "feature_list_sparse_types": [*sparse.values()],
        "feature_list_dense_types": [dtype for dtype, _, _ in dense.values()],
        "feature_list_dense_shapes": [shape for _, shape, _ in dense.values()],
    }


def old(
    note: str, rows: Any, context: tuple[_Sparse, _Dense], lists: tuple[_Sparse, _Dense], names: Any = _NO_KEYS
) -> Case:
    defaults, of_context = _of_context(*context)
    optional, of_lists = _of_lists(*lists)
    keys = [list(keys) for group in (context, lists) for keys in group]
    return Case(
        "ParseSequenceExample",
        [_vector(rows), names, defaults],
        note=note,
        feature_list_dense_missing_assumed_empty=optional,
        context_sparse_keys=keys[0],
        context_dense_keys=keys[1],
        feature_list_sparse_keys=keys[2],
        feature_list_dense_keys=keys[3],
        Ncontext_dense=len(keys[1]),
        **of_context,
        **of_lists,
    )


def new(
    note: str,
    rows: Any,
    context: tuple[_Sparse, _Dense],
    lists: tuple[_Sparse, _Dense],
    ragged: tuple[_Sparse, _Sparse] = ({}, {}),
    splits: DataType = _L,
    only: tuple[int, ...] = (),
) -> Case:
    defaults, of_context = _of_context(*context)
    optional, of_lists = _of_lists(*lists)
    keys = [
        strings(list(keys)).reshape(-1) for keys in (context[0], context[1], ragged[0], lists[0], lists[1], ragged[1])
    ]
    return Case(
        "ParseSequenceExampleV2",
        [_vector(rows), _NO_KEYS, *keys, np.array([key in optional for key in lists[1]], bool), defaults],
        note=note,
        context_ragged_value_types=[*ragged[0].values()],
        context_ragged_split_types=[splits] * len(ragged[0]),
        feature_list_ragged_value_types=[*ragged[1].values()],
        feature_list_ragged_split_types=[splits] * len(ragged[1]),
        **of_context,
        **of_lists,
        only=only,
    )


def single(note: str, row: bytes, context: tuple[_Sparse, _Dense], lists: tuple[_Sparse, _Dense]) -> Case:
    defaults, of_context = _of_context(*context)
    optional, of_lists = _of_lists(*lists)
    keys = [[strings(key) for key in keys] for group in (context, lists) for keys in group]
    return Case(
        "ParseSingleSequenceExample",
        [strings(row), strings(optional).reshape(-1), *keys, defaults, strings("row")],
        note=note,
        **of_context,
        **of_lists,
    )


def _vector(rows: Any) -> Any:
    return strings(rows) if isinstance(rows, bytes) else strings(rows).reshape(-1)


def cases() -> Iterator[Case]:
    for (note, rows), (number, (context, lists)) in ((one, two) for one in INPUTS for two in enumerate(PAIRS)):
        name = f"{note} {number}"
        yield old(name, rows, context, lists)
        yield new(name, rows, context, lists)
        if context[0] or lists[0]:
            ragged = (context[0], lists[0])
            splits = (_L, DataType.DT_INT32)[number % 2]
            yield new(f"{name} ragged", rows, ({}, context[1]), ({}, lists[1]), ragged, splits)
        for row in rows[:1]:
            yield new(f"{name} alone", row, context, lists)
            yield single(name, row, context, lists)
    for note, rows in INPUTS[:2]:  # TensorFlow's row splits of a single example mean nothing
        yield new(f"{note} ragged alone", rows[0], *PAIRS[0], ({b"a": _L}, {b"q": _S}), _L, only=(0, 2, 4))
    yield old("names", ROWS, CONTEXTS[1], LISTS[1], strings(["x", "y", "z"]))
    yield old("too few names", ROWS, CONTEXTS[1], LISTS[1], strings(["x", "y"]))
    yield new("two forms", ROWS, ({b"a": _L}, {}), LISTS[0], ({b"a": _L}, {}))
    yield new("two forms", ROWS, ({}, {b"a": (_L, [2], None)}), LISTS[0], ({b"a": _L}, {}))
    yield new("two forms", ROWS, CONTEXTS[0], ({b"p": _L}, {}), ({}, {b"p": _L}))
    yield old("two forms", ROWS, ({b"c": _F}, {b"c": (_F, [2], f32(2))}), LISTS[0])
    yield old("a feature as context and as list", ROWS, ({b"p": _L}, {}), ({b"p": _L}, {}))


CASES = [*cases()]
