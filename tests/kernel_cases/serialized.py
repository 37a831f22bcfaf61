"""Tensors in strings."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, i64, numbers, strings, u8
from tfmodel.messages import DataType
from tfmodel.values.tensors import from_ndarray

__all__ = ["CASES"]

_D = DataType
_TYPES = [
    _D.DT_HALF,
    _D.DT_FLOAT,
    _D.DT_DOUBLE,
    _D.DT_INT32,
    _D.DT_UINT16,
    _D.DT_UINT8,
    _D.DT_INT16,
    _D.DT_INT8,
    _D.DT_INT64,
]
_MORE = [_D.DT_COMPLEX64, _D.DT_COMPLEX128]
_BYTES = u8(96).tobytes()

_RAW = [
    *(
        Case("DecodeRaw", [strings([_BYTES[:48], _BYTES[48:]])], out_type=dtype, little_endian=little)
        for dtype in (*_TYPES, *_MORE)
        for little in (True, False)
    ),
    Case("DecodeRaw", [strings([b"\0\1", b"\1\0"])], out_type=_D.DT_BOOL),
    Case("DecodeRaw", [strings(b"\x80\x3f\xc0\x7f")], out_type=_D.DT_BFLOAT16),
    *(
        Case("DecodeRaw", [strings(words)], out_type=dtype, note=repr(words))
        for words in ([b"abc", b"de"], b"abc", b"", [b"", b""], [[b"abcd"], [b"efgh"]])
        for dtype in (_D.DT_UINT8, _D.DT_INT16)
    ),
    Case("DecodeRaw", [np.zeros((0, 2), object)], out_type=_D.DT_INT32),
    *(
        Case(
            "DecodePaddedRaw",
            [strings([_BYTES[:9], b"", b"abc"]), i32(size)],
            out_type=dtype,
            little_endian=little,
            note=str(size),
        )
        for dtype in _TYPES[1:]
        for size in (8, 16)
        for little in (True, False)
    ),
    *(
        Case("DecodePaddedRaw", [strings(["abc"]), i32(size)], out_type=_D.DT_INT32, note=str(size))
        for size in (0, 3, -4)
    ),
]

_TENSORS = [
    f32(2, 3),
    f32(2).astype(np.float16),
    np.array([1 + 2j]),
    i32([[1, 1], [1, 1]]),
    i64(7),
    np.array([True, False]),
    strings(["a", b"\xff", ""]),
    strings("text"),
    np.zeros((0, 2), np.float32),
    np.zeros(0, object),
    u8(3),
    numbers((2,), np.uint64, 0, 9),
    numbers((4,), np.int8),
]
_SERIALIZED = [from_ndarray(tensor).to_bytes() for tensor in _TENSORS]
_TENSOR_TYPES = [from_ndarray(tensor).dtype for tensor in _TENSORS]

_TENSORS_IN_STRINGS = [
    *(Case("SerializeTensor", [tensor]) for tensor in _TENSORS),
    Case("SerializeTensor", [bf16(f32(3))]),
    *(
        Case("ParseTensor", [strings(data)], out_type=dtype, note=str(number))
        for number, (data, dtype) in enumerate(zip(_SERIALIZED, _TENSOR_TYPES, strict=True))
    ),
    Case("ParseTensor", [strings(_SERIALIZED[0])], out_type=_D.DT_INT32, note="of another type"),
    Case("ParseTensor", [strings(b"no tensor")], out_type=_D.DT_FLOAT),
    Case("ParseTensor", [strings(_SERIALIZED[0][:-1])], out_type=_D.DT_FLOAT, note="cut off"),
    Case("ParseTensor", [strings([_SERIALIZED[0]])], out_type=_D.DT_FLOAT),
]

_LINES = [
    "1,2.5,a",
    "1,2.5,",
    ",,",
    " 1 , 2.5 , a b ",
    '1,2,"a,b"',
    '1,2,"a ""b"" c"',
    '"1","2","3"',
    '1,2,"line\nend"',
    "1,2,a\n",
    "1,2,a\r\n",
    "\n1,2,a",
    "1,2",
    "1,2,3,4",
    "",
    "x,2,a",
    "1,y,a",
    '1,2,a"b',
    '1,2,"a"b',
    '1,2,"a',
    "1,2,a\nb",
    "NA,NA,NA",
    "1,2,3,",
    '1,2,""',
    '"",2,3',
    "2147483648,1,a",
    "-1,-1e3,é",
    '1,"2",a',
    '1,2,"',
]
_DEFAULTS = [i32([7]), np.array([0.5], np.float32), strings(["none"])]
_NEEDED = [np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, object)]

_CSV = [
    *(
        Case("DecodeCSV", [strings([line]), defaults], note=f"{line!r} {note}", **how)
        for line in _LINES
        for note, defaults, how in (
            ("", _DEFAULTS, {}),
            ("needed", _NEEDED, {}),
            ("no quotes", _DEFAULTS, {"use_quote_delim": False}),
            ("NA", _DEFAULTS, {"na_value": b"NA"}),
        )
    ),
    Case("DecodeCSV", [strings([["1;2;a", "3;4;b"]]), _DEFAULTS], field_delim=b";"),
    Case("DecodeCSV", [strings("1\t2\ta"), _DEFAULTS], field_delim=b"\t"),
    *(
        Case("DecodeCSV", [strings(["0,1,2,3,a", "5,6,7,8,b"]), _DEFAULTS], select_cols=columns)
        for columns in ([0, 1, 4], [1, 2, 3], [0, 1], [0, 1, 9], [2, 1, 0], [0, 0, 1])
    ),
    Case("DecodeCSV", [strings(["1,2"]), [i64([3]), np.array([0.5])]]),
    Case("DecodeCSV", [strings([]), _DEFAULTS]),
    Case("DecodeCSV", [strings(["1,2"]), [i64(3), np.array(0.5)]], note="scalars"),
    Case("DecodeCSV", [strings(["1"]), [i64([3, 4])]]),
    Case("DecodeCSV", [strings(["1"]), [i64([3])]], field_delim=b",,"),
]

CASES = [*_RAW, *_TENSORS_IN_STRINGS, *_CSV]
