"""Dimensions in other data formats."""

from __future__ import annotations

from tests.kernel_cases import Case, i32, i64

FORMATS = [
    (b"NHWC", b"NCHW"),
    (b"NCHW", b"NHWC"),
    (b"NHWC", b"NHWC"),
    (b"NHWC", b"HWNC"),
    (b"NDHWC", b"NCDHW"),
    (b"NCDHW", b"NDHWC"),
    (b"NHWC", b"NCDHW"),
    (b"ABCD", b"DBCA"),
    (b"NHC", b"NCH"),
]

CASES = [
    *(
        Case("DataFormatDimMap", [whole(x)], src_format=source, dst_format=target)
        for x in ([0, 1, 2, 3], [-1, -2, -3, -4], 2, [[0, 3], [1, -1]], [], [4, -5, 7])
        for whole in (i32, i64)
        for source, target in FORMATS
    ),
    *(
        Case("DataFormatVecPermute", [whole(x)], src_format=source, dst_format=target)
        for x in (
            [10, 11, 12, 13],
            [10, 11, 12, 13, 14],
            [[1, 2], [3, 4], [5, 6], [7, 8]],
            [7, 8],
            [[1, 2], [3, 4]],
            [7, 8, 9],
            [[1, 2], [3, 4], [5, 6]],
            [[1], [2], [3], [4]],
            5,
            [],
        )
        for whole in (i32, i64)
        for source, target in FORMATS
    ),
]
