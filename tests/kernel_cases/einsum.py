"""Sums of products along named dimensions."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, numbers

ONE = [
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ij->i", (2, 3)),
    ("ij->j", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii->", (3, 3)),
    ("i->ii", (3,)),
    ("iji->j", (2, 3, 2)),
    ("iji->ij", (2, 3, 2)),
    ("...->...", (2, 3)),
    ("...ij->...ji", (2, 2, 3)),
    ("i...->...", (2, 3)),
    ("i...j->j...i", (2, 3, 4)),
    ("->", ()),
    ("...->", (2, 3)),
    ("ab...->...", (2, 3)),
    ("ij->jij", (2, 3)),
    ("iijj->ij", (2, 2, 3, 3)),
    ("ij->ijk", (2, 3)),
    ("ij", (2, 3)),
    ("ij->ji", (2, 3, 4)),
    ("ii->i", (2, 3)),
    ("ij->ij", (0, 3)),
    ("ij->j", (0, 3)),
    ("Ij->jI", (2, 3)),
    ("i1->i", (2, 3)),
    (" ij -> ji", (2, 3)),
    ("...ii->...i", (2, 3, 3)),
    ("...i->...ii", (2, 3)),
]
TWO = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,kj->ik", (2, 3), (4, 3)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bhqk,bkhd->bqhd", (2, 3, 4, 5), (2, 5, 3, 6)),
    ("abc,cde->abde", (2, 3, 4), (4, 5, 2)),
    ("i,i->", (3,), (3,)),
    ("i,j->ij", (2,), (3,)),
    ("i,j->ji", (2,), (3,)),
    ("ij,ij->ij", (2, 3), (2, 3)),
    ("ij,ij->i", (2, 3), (2, 3)),
    ("ij,i->ij", (2, 3), (2,)),
    ("i,->i", (3,), ()),
    (",->", (), ()),
    ("...ij,...jk->...ik", (2, 3, 4), (4, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...ij,jk->...ik", (2, 3, 4), (4, 5)),
    ("i...,i...->...", (2, 3), (2, 3)),
    ("i...,i->...", (2, 3), (2,)),
    ("ij,jk->ik", (2, 3), (4, 5)),
    ("ij,jk->il", (2, 3), (3, 4)),
    ("ij,jk->ki", (0, 3), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    ("ii,ij->j", (3, 3), (3, 2)),
    ("iij,jk->ik", (2, 2, 3), (3, 4)),
    ("ij,kl->jl", (2, 3), (4, 5)),
    ("ij,jk->iik", (2, 3), (3, 4)),
    ("...,...->...", (2, 3), (3,)),
    ("...,...->...", (2, 1), (1, 3)),
    ("...i,...i->...", (2, 3), (1, 3)),
    ("ij,j->ij", (2, 3), (1,)),
    ("ij,jk,kl->il", (2, 3), (3, 4)),
    ("ij->ij", (2, 3), (2, 3)),
    ("...ij,...jk->ik", (2, 3, 4), (4, 5)),
    ("ij,...->ij...", (2, 3), (4, 5)),
    ("abcd,cdef->abef", (2, 3, 4, 2), (4, 2, 3, 2)),
    ("b...ij,bj->...bi", (2, 3, 4, 5), (2, 5)),
]
TYPES = (np.float64, np.float16, np.int32, np.int64, np.complex64, np.complex128)

CASES = [
    *(Case("Einsum", [[f32(*shape)]], equation=equation, rtol=1e-6) for equation, shape in ONE),
    *(Case("Einsum", [[f32(*a), f32(*b) + np.float32(1)]], equation=equation, rtol=1e-6) for equation, a, b in TWO),
    *(
        Case(
            "Einsum",
            [[numbers([2, 3], dtype), numbers([3, 2], dtype, 1, 4)]],
            equation="ij,jk->ki",
            rtol=2e-3 if dtype == np.float16 else 1e-6,
        )
        for dtype in TYPES
    ),
    Case("Einsum", [[bf16(f32(2, 3)), bf16(f32(3, 2))]], equation="ij,jk->ik", rtol=2**-7),
]
