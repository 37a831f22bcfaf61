"""Features of serialized Examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernel_cases import Case, f32, i64, strings
from tfmodel.messages import BytesList, DataType, Example, Feature, Features, FloatList, Int64List

__all__ = ["CASES"]

_S, _F, _L = DataType.DT_STRING, DataType.DT_FLOAT, DataType.DT_INT64
_NO_KEYS = np.zeros(0, object)


def _example(**features: list[Any]) -> bytes:
    """Features of strings, floats or integers; of an empty list, one without a value."""

    def feature(values: list[Any]) -> Feature:
        if not values:
            return Feature()
        if isinstance(values[0], bytes):
            return Feature(bytes_list=BytesList(value=values))
        if isinstance(values[0], float):
            return Feature(float_list=FloatList(value=values))
        return Feature(int64_list=Int64List(value=values))

    return Example(features=Features(feature={name: feature(values) for name, values in features.items()})).to_bytes()


_ROWS = [
    _example(a=[1, 2], b=[b"x"], c=[0.5, 1.5, 2.5, 3.5], d=[7]),
    _example(a=[-3], c=[1.0, 2.0], d=[8], e=[b"more"]),
    _example(a=[], b=[b"y", b"z"], d=[9]),
    _example(d=[10]),
]
_NO_VALUES = {"a": Feature(int64_list=Int64List()), "d": Feature()}
_EMPTY_LISTS = [Example(features=Features(feature=_NO_VALUES)).to_bytes(), b""]

_INPUTS = [  # examples, and whether the features of all dense keys are there
    ("all", _ROWS),
    ("one", _ROWS[:1]),
    ("two", _ROWS[:2]),
    ("last", _ROWS[3:]),
    ("none", []),
    ("empty", _EMPTY_LISTS),
    ("wrong", [b"\xff\xff"]),
    ("other types", [_example(a=[b"x"]), _example(d=[0.5]), _example(b=[1])]),
]
_DENSE: list[tuple[str, dict[bytes, tuple[DataType, Any, np.ndarray[Any, Any]]]]] = [
    ("none", {}),
    ("needed", {b"d": (_L, [], i64([]))}),
    ("a default", {b"d": (_L, [], i64(5)), b"b": (_S, [], strings("-"))}),
    ("of size", {b"c": (_F, [2], f32(2)), b"d": (_L, [1], i64([5]))}),
    ("matrix", {b"c": (_F, [2, 2], f32(2, 2))}),
    ("variable", {b"c": (_F, [None], np.array([0.25], np.float32)), b"b": (_S, [None], strings([""]))}),
    ("variable pairs", {b"c": (_F, [None, 2], np.array([0.25], np.float32))}),
    ("variable, no default", {b"a": (_L, [None], i64([])), b"b": (_S, [None], _NO_KEYS)}),
    ("wrong default", {b"d": (_L, [], i64([1, 2]))}),
]
_SPARSE: list[dict[bytes, DataType]] = [{}, {b"a": _L, b"b": _S, b"c": _F}]


def _dense_parts(dense: dict[bytes, Any]) -> tuple[list[np.ndarray[Any, Any]], dict[str, Any]]:
    kinds = {"Tdense": [part[0] for part in dense.values()], "dense_shapes": [part[1] for part in dense.values()]}
    return [part[2] for part in dense.values()], kinds


def _others(keys: dict[bytes, DataType], dense: dict[bytes, Any]) -> dict[bytes, DataType]:
    return {key: dtype for key, dtype in keys.items() if key not in dense}


def _old(
    note: str, rows: list[bytes], dense: dict[bytes, Any], sparse: dict[bytes, DataType], names: Any = _NO_KEYS
) -> Case:
    sparse = _others(sparse, dense)
    defaults, kinds = _dense_parts(dense)
    keys = [[strings(key) for key in group] for group in (sparse, dense)]
    return Case(
        "ParseExample",
        [strings(rows).reshape(-1), names, *keys, defaults],
        note=note,
        sparse_types=[*sparse.values()],
        **kinds,
    )


def _new(
    note: str,
    rows: Any,
    dense: dict[bytes, Any],
    sparse: dict[bytes, DataType],
    ragged: dict[bytes, DataType],
    splits: DataType = _L,
) -> Case:
    sparse, ragged = _others(sparse, dense), _others(ragged, dense)
    defaults, kinds = _dense_parts(dense)
    keys = [strings(list(group)) for group in (sparse, dense, ragged)]
    serialized = strings(rows) if isinstance(rows, bytes) else strings(rows).reshape(-1)
    return Case(
        "ParseExampleV2",
        [serialized, _NO_KEYS, *keys, defaults],
        note=note,
        num_sparse=len(sparse),
        sparse_types=[*sparse.values()],
        ragged_value_types=[*ragged.values()],
        ragged_split_types=[splits] * len(ragged),
        **kinds,
    )


def _single(note: str, row: bytes, dense: dict[bytes, Any], sparse: dict[bytes, DataType]) -> Case:
    sparse = _others(sparse, dense)
    defaults, kinds = _dense_parts(dense)
    return Case(
        "ParseSingleExample",
        [strings(row), defaults],
        note=note,
        num_sparse=len(sparse),
        sparse_keys=list(sparse),
        dense_keys=list(dense),
        sparse_types=[*sparse.values()],
        **kinds,
    )


CASES = [
    *(
        _old(f"{rows} {note}", inputs, dense, sparse)
        for rows, inputs in _INPUTS
        for note, dense in _DENSE
        for sparse in _SPARSE
        if sparse or dense
    ),
    _old("names", _ROWS, _DENSE[1][1], {}, strings(["a", "b", "c", "d"])),
    _old("too few names", _ROWS, _DENSE[1][1], {}, strings(["a", "b"])),
    *(
        _new(f"{rows} {note}", inputs, dense, sparse, ragged)
        for rows, inputs in _INPUTS
        for note, dense in _DENSE
        for sparse, ragged in (_SPARSE, _SPARSE[::-1])
    ),
    *(
        _new(f"single {number} {note}", row, dense, sparse, ragged, DataType.DT_INT32)
        for number, row in enumerate([*_ROWS, b"\xff"])
        for note, dense in _DENSE
        for sparse, ragged in (_SPARSE, _SPARSE[::-1])
    ),
    *(
        _single(f"{number} {note}", row, dense, sparse)
        for number, row in enumerate([*_ROWS, b"\xff"])
        for note, dense in _DENSE
        for sparse in _SPARSE
    ),
]
