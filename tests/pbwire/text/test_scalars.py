"""Numbers and strings in text format, compared with Google's."""

from __future__ import annotations

import math
import random
import struct

import pytest
from google.protobuf import text_encoding
from google.protobuf.internal import type_checkers
from hypothesis import given
from hypothesis import strategies as st

from pbwire import EncodeError, text
from pbwire.text import literals, scalars
from tests.pbwire.text.reference import google
from tests.support.protobuf_twin import IS_4_25
from tests.support.samples import Repeated, Scalars
from tfmodel.messages import DataType

FLOATS = [
    (0.0, "0.0"),
    (-0.0, "-0.0"),
    (1.0, "1.0"),
    (0.1, "0.1"),
    (1 / 3, "0.33333334"),
    (16777216.0, "16777216.0"),
    (123456789.0, "123456790.0"),
    (1e10, "10000000000.0"),
    (1e16, "1e+16"),
    (3.4028234663852886e38, "3.4028235e+38"),
    (1.1754943508222875e-38, "1.1754944e-38"),
    (1.401298464324817e-45, "1.4013e-45"),  # six digits, though one would do
    (math.inf, "inf"),
    (-math.inf, "-inf"),
    (math.nan, "nan"),
    (-math.nan, "nan"),
    (1e300, "inf"),
    (7, "7.0"),
]
DOUBLES = [
    (0.1, "0.1"),
    (-0.0, "-0.0"),
    (1e15, "1000000000000000.0"),
    (1e16, "1e+16"),
    (1e22, "1e+22"),
    (5e-324, "5e-324"),
    (2.2250738585072014e-308, "2.2250738585072014e-308"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (math.inf, "inf"),
    (-math.inf, "-inf"),
    (-math.nan, "nan"),
    (7, "7.0"),
    (2**60, "1.152921504606847e+18"),
]


@pytest.mark.parametrize(("value", "spelling"), FLOATS)
def test_floats(value, spelling):
    assert scalars.float_text(value) == spelling
    message = Repeated(a_float=[value, 0.5, value])
    assert text.dumps(message, as_one_line=True) == f"a_float: {spelling} a_float: 0.5 a_float: {spelling}"
    assert text.dumps(message) == google(message)


@pytest.mark.parametrize(("value", "spelling"), DOUBLES)
def test_doubles(value, spelling):
    assert scalars.double_text(value) == spelling
    message = Repeated(a_double=[value, 0.5, value])
    assert text.dumps(message, as_one_line=True) == f"a_double: {spelling} a_double: 0.5 a_double: {spelling}"
    assert text.dumps(message) == google(message)


def test_thousands_of_floats():
    chance = random.Random(1)
    bits = [chance.getrandbits(32) for _ in range(20_000)]
    bits += [exponent << 23 | sign << 31 for exponent in range(256) for sign in (0, 1)]  # the powers of two
    bits += [n + step for n in range(0, 1 << 31, 1 << 24) for step in (0, 1, 2, 3)]
    near = [math.ldexp(n, e) for n in (1, 3, 5, 7, 9, 10) for e in range(-140, 120)]
    decimal = [float(f"{chance.randint(1, 999_999)}e{chance.randint(-45, 32)}") for _ in range(5_000)]
    floats = [struct.unpack("<f", struct.pack("<I", n))[0] for n in bits]
    floats += struct.unpack(f"<{len(near + decimal)}f", struct.pack(f"<{len(near + decimal)}f", *near, *decimal))
    expected = [str(f) if math.isnan(f) else str(type_checkers.ToShortestFloat(f)) for f in floats]
    assert text.dumps(Repeated(a_float=floats)).split()[1::2] == expected
    assert [scalars.float_text(f) for f in floats] == expected


@given(st.floats(width=32))
def test_any_float(value):
    assert text.dumps(Scalars(a_float=value)) == google(Scalars(a_float=value))


@given(st.floats())
def test_any_double(value):
    assert text.dumps(Scalars(a_double=value)) == google(Scalars(a_double=value))


@given(st.text())
def test_any_string(value):
    assert literals.escape_string(value) == text_encoding.CEscape(value.encode(), False)
    assert (literals.escape_utf8_only if IS_4_25 else literals.escape_utf8)(value) == text_encoding.CEscape(value, True)
    for as_utf8 in (False, True):
        message = Repeated(a_string=[value, "plain"])
        assert text.dumps(message, as_utf8=as_utf8) == google(message, as_utf8=as_utf8)


@given(st.binary())
def test_any_bytes(value):
    assert literals.escape_bytes(value) == text_encoding.CEscape(value, False)
    assert text.dumps(Repeated(a_bytes=[value, b"plain"])) == google(Repeated(a_bytes=[value, b"plain"]))


def test_every_byte_and_every_pair_of_bytes():
    """No escape may run into the digit behind it."""
    pairs = bytes(byte for first in range(256) for second in b"07a\\\x00\xff" for byte in (first, second))
    assert literals.escape_bytes(pairs) == text_encoding.CEscape(pairs, False)
    assert literals.escape_string("".join(map(chr, pairs))) == text_encoding.CEscape(
        "".join(map(chr, pairs)).encode(), False
    )


def test_utf8_keeps_control_characters_that_have_no_name_in_4_25():
    controls = "\0\x7f" if IS_4_25 else r"\000\177"
    assert text.dumps(Scalars(a_string="\0\x7f\x85é\n"), as_utf8=True) == f'a_string: "{controls}\x85é\\n"\n'
    assert text.dumps(Scalars(a_string="\0\x7f\x85é\n")) == 'a_string: "\\000\\177\\302\\205\\303\\251\\n"\n'
    assert text.dumps(Scalars(a_bytes="é".encode()), as_utf8=True) == 'a_bytes: "\\303\\251"\n'


def test_enums_by_name_or_number():
    assert scalars.enum_text(1, DataType) == "DT_FLOAT"
    assert scalars.enum_text(DataType.DT_HALF, DataType) == "DT_HALF"
    assert scalars.enum_text(12345, DataType) == "12345"
    assert scalars.enum_text(-1, DataType) == "-1"


def test_a_lone_surrogate_is_refused_with_utf8_too():
    for value in ("\ud800", "x" * 20_000 + "\udfff"):
        for as_utf8 in (False, True):
            with pytest.raises(EncodeError, match="surrogate"):
                text.dumps(Scalars(a_string=value), as_utf8=as_utf8)
