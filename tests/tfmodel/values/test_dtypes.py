"""`tfmodel.values.dtypes`: element types, and the conversion of numbers between them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.errors import TensorError
from tfmodel.messages import DataType, TensorProto
from tfmodel.values.dtypes import DTYPES, dtype_name, dtype_named, dtype_of, natural_dtype
from tfmodel.values.dtypes.conversion import FORMATS

SMALL_FLOATS = [row for row in DTYPES.values() if row.codec == "float"]
SMALL_INTEGERS = [row for row in DTYPES.values() if row.codec == "int"]
small_float = pytest.mark.parametrize("row", SMALL_FLOATS, ids=[row.name for row in SMALL_FLOATS])


# --- rows ------------------------------------------------------------------------------------------------------------


def test_every_type_has_a_row_and_so_has_what_refers_to_it():
    numbers = {int(member) for member in DataType if 0 < member < 100}
    difference = sorted(numbers ^ DTYPES.keys())
    assert not difference, (
        "DataType in schema/types.py and _ROWS in tfmodel/values/dtypes/__init__.py have different numbers"
    )
    difference = sorted({number + 100 for number in numbers} ^ {int(member) for member in DataType if member > 100})
    assert not difference, "in schema/types.py, every type but DT_INVALID has a reference type: its number + 100"
    for member in DataType:
        if member == DataType.DT_INVALID:
            continue
        row = dtype_of(member)
        assert row.number == member - 100 * (member > 100)
        assert row.name == dtype_name(row.number)
        assert dtype_named(row.name) is row
        assert hasattr(TensorProto, row.field)


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (DataType.DT_FLOAT, "float32"),
        (DataType.DT_DOUBLE, "float64"),
        (DataType.DT_HALF, "float16"),
        (DataType.DT_BFLOAT16, "bfloat16"),
        (DataType.DT_FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz"),
        (DataType.DT_STRING, "string"),
        (DataType.DT_FLOAT_REF, "float32_ref"),
        (107, "string_ref"),
        (0, "invalid"),
        (100, "dtype(100)"),
        (99, "dtype(99)"),
        (-99, "dtype(-99)"),
    ],
)
def test_names(number, name):
    assert dtype_name(number) == name


@pytest.mark.parametrize("number", [0, max(DTYPES) + 1, 99, 100, max(DTYPES) + 101, 201, -1, -99])
def test_a_number_of_no_type_has_no_row(number):
    with pytest.raises(TensorError, match=r"not set|no type of number"):
        dtype_of(number)


@pytest.mark.parametrize("row", DTYPES.values(), ids=lambda row: row.name)
def test_sizes_are_those_of_numpy(row):
    assert row.itemsize == (0 if row.is_object else row.storage.itemsize)
    assert row.kind == row.storage.kind
    assert row.storage.byteorder in "<=|"
    assert row.numpy.itemsize >= row.itemsize


def test_a_type_of_numpy_is_found_by_its_name():
    assert natural_dtype(np.dtype(">i2")) is DTYPES[DataType.DT_INT16]
    assert natural_dtype(np.dtype("c16")) is DTYPES[DataType.DT_COMPLEX128]
    for other in ("O", "S3", "U3", "M8[s]", "i4,i4", "g", "V2"):
        assert natural_dtype(np.dtype(other)) is None


def test_names_and_sizes_do_without_numpy():
    program = (
        "import sys, tfmodel.values.dtypes as d, tfmodel.values.formatting;"
        "assert d.dtype_name(1) == 'float32' and d.dtype_of(101).itemsize == 4;"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# --- floats that NumPy lacks, against ml_dtypes ----------------------------------------------------------------------


def test_every_float_that_numpy_lacks_has_a_format():
    difference = sorted({row.name for row in SMALL_FLOATS} ^ FORMATS.keys())
    assert not difference, 'FORMATS in tfmodel/values/dtypes/conversion.py differs from the rows with codec="float"'


def in_ml_dtypes(row):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes, which has these types, is not there")
    return np.dtype(getattr(ml_dtypes, row.name))


@small_float
def test_every_code_is_decoded_as_by_ml_dtypes(row):
    codes = np.arange(1 << FORMATS[row.name].bits).astype(row.storage)
    ours, theirs = row.decode(codes), codes.view(in_ml_dtypes(row)).astype(np.float32)
    assert ours.dtype == np.float32
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


@small_float
def test_every_code_is_encoded_as_itself(row):
    codes = np.arange(1 << FORMATS[row.name].bits).astype(row.storage)
    values = row.decode(codes)
    np.testing.assert_array_equal(row.encode(values), codes)
    finite = values[np.isfinite(values)]
    np.testing.assert_array_equal(row.encode(finite.astype(np.float64)), codes[np.isfinite(values)])


def neighbours(row):
    """All values of a type, what is half-way between two, and what is beside both; as float32, within the range."""
    values = row.decode(np.arange(1 << FORMATS[row.name].bits).astype(row.storage))
    values = np.sort(values[np.isfinite(values)]).astype(np.float64)
    points = np.concatenate([values, (values[:-1] + values[1:]) / 2]).astype(np.float32)
    above, below = (np.nextafter(points, np.float32(limit)) for limit in (np.inf, -np.inf))
    around = np.concatenate([points, above, below])
    return around[np.abs(around) <= values[-1]]


@small_float
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rounding_is_that_of_ml_dtypes(row, kind):
    values = neighbours(row).astype(kind)
    theirs = values.astype(in_ml_dtypes(row)).view(row.storage)
    np.testing.assert_array_equal(row.encode(values), theirs)


@small_float
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_any_float_in_range_is_rounded_as_by_ml_dtypes(row, values):
    largest = float(row.decode(np.array([FORMATS[row.name].largest], row.storage))[0])
    array = np.clip(np.array(values, np.float32), -largest, largest)
    theirs = array.astype(in_ml_dtypes(row)).view(row.storage)
    np.testing.assert_array_equal(row.encode(array), theirs)
    np.testing.assert_array_equal(row.encode(array.astype(np.float64)), theirs)


def test_float64_is_rounded_once():
    # By way of float32 this would be 1.0: the bit that is lost there decides.
    assert dtype_named("bfloat16").encode(np.array([1 + 2**-8 + 2**-40])).tolist() == [0x3F81]


@pytest.mark.parametrize(
    ("name", "largest", "too_large"),
    [
        ("bfloat16", 3.3961775e38, 3.3961776e38),
        ("float8_e5m2", 61439.0, 61440.0),
        ("float8_e4m3fn", 464.0, 464.0001),
        ("float8_e4m3fnuz", 247.0, 248.0),
        ("float8_e4m3b11fnuz", 30.9, 31.0),
        ("float8_e5m2fnuz", 61439.0, 61440.0),
        ("float4_e2m1fn", 6.9, 7.0),
        ("float16", 65519.0, 65520.0),
        ("float32", 3.4028235e38, 3.4028236e38),
    ],
)
def test_a_number_that_would_become_infinite_is_refused(name, largest, too_large):
    row = dtype_named(name)
    for sign in (1, -1):
        assert np.isfinite(row.decode(row.encode(np.array([sign * largest])))).all()
        with pytest.raises(ValueError, match=rf"at index \[1\] has no counterpart in {name}$"):
            row.encode(np.array([0.0, sign * too_large]))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz"])
@pytest.mark.parametrize("bits", [0x7FFFFFFF, 0x7FFF8000, 0xFFFFFFFF, 0xFFFF8000, 0x7F800001, 0xFFC00000])
def test_every_nan_stays_one(name, bits):
    """Rounding the bits of a float32 like those of a number would carry from the mantissa into the sign."""
    row = dtype_named(name)
    for values in (np.array([bits], np.uint32).view(np.float32), np.array([bits, 0], np.uint32).view(np.float32)):
        assert np.isnan(row.decode(row.encode(values))[0])


@pytest.mark.parametrize(
    ("name", "infinity", "nan"),
    [
        ("bfloat16", 0x7F80, 0x7FC0),
        ("float8_e5m2", 0x7C, 0x7E),
        ("float8_e4m3fn", None, 0x7F),
        ("float8_e4m3fnuz", None, 0x80),
        ("float8_e4m3b11fnuz", None, 0x80),
        ("float8_e5m2fnuz", None, 0x80),
        ("float4_e2m1fn", None, None),
    ],
)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_infinities_and_nan(name, infinity, nan, kind):
    row = dtype_named(name)
    for value, code in ((np.inf, infinity), (np.nan, nan)):
        array = np.array([1, value], kind)
        if code is None:
            with pytest.raises(ValueError, match="has no counterpart"):
                row.encode(array)
        else:
            assert row.encode(array)[1] == code


def test_types_without_a_negative_zero_encode_it_as_zero():
    row = dtype_named("float8_e4m3fnuz")
    assert row.encode(np.array([-0.0, -1e-9, 1e-9], np.float32)).tolist() == [0, 0, 0]


# --- integers of less than a byte ------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", SMALL_INTEGERS, ids=lambda row: row.name)
def test_only_the_lower_bits_of_small_integers_count(row):
    stored = np.arange(256).astype(np.uint8)
    theirs = stored.view(in_ml_dtypes(row)).astype(row.numpy)
    np.testing.assert_array_equal(row.decode(stored), theirs)
    np.testing.assert_array_equal(row.encode(row.decode(stored)), stored & ((1 << row.bits) - 1))


# --- from one type to another ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "name", "stored"),
    [
        (np.array([1, -1], ">i4"), "int8", [1, -1]),
        (np.array([True, False]), "float32", [1, 0]),
        (np.array([1.0, -0.0]), "uint8", [1, 0]),
        (np.array([1, 0], np.uint64), "bool", [True, False]),
        (np.array([1.0, 0.0]), "bool", [True, False]),
        (np.array([2 + 0j]), "float16", [2]),
        (np.array([2 + 0j]), "int16", [2]),
        (np.array([2**63], np.uint64), "float32", [2.0**63]),
        (np.array([-(2**63)]), "float32", [-(2.0**63)]),
        (np.array([-(2.0**63)]), "int64", [-(2**63)]),
        (np.array([2.0**63]), "uint64", [2**63]),
        (np.array([255], np.float16), "uint8", [255]),
        (np.array([0.1]), "float32", [np.float32(0.1)]),
        (np.array([1e-50]), "float32", [0]),
        (np.array([np.inf, -np.inf]), "float16", [np.inf, -np.inf]),
        (np.array([1], np.int32), "bfloat16", [0x3F80]),
        (np.array([256]), "bfloat16", [0x4380]),
        (np.array([6]), "float4_e2m1fn", [7]),
        (np.array([2], np.longdouble), "float8_e5m2", [0x40]),
        (np.array([2], np.longdouble), "float64", [2]),
        (np.array([1, 2], np.int32), "complex64", [1, 2]),
        (np.array([7, 200], np.uint8), "quint8", [7, 200]),
        (np.array([-8, 7]), "int4", [8, 7]),
        (np.array([3]), "uint2", [3]),
        (np.int64(7), "int32", 7),
        (np.array(0.5, np.float32), "float8_e4m3fn", 0x30),
        (np.zeros((0, 3)), "int2", []),
        (np.zeros((0, 3), complex), "float8_e5m2", []),
        ([1, 2], "uint16", [1, 2]),
    ],
)
def test_numbers_that_stay_the_same_may_become_another_type(values, name, stored):
    row = dtype_named(name)
    encoded = row.encode(values)
    assert encoded.dtype == row.storage
    assert encoded.shape == np.shape(values)
    assert encoded.tolist() == stored


@pytest.mark.parametrize(
    ("values", "name", "problem"),
    [
        (np.array([[1, 2], [3, 300]]), "uint8", r"^300 at index \[1, 1\] .* uint8, which goes from 0 to 255$"),
        (np.array(-1), "uint8", r"^-1 has no counterpart"),
        (np.array([2**63], np.uint64), "int64", "^9223372036854775808 at"),
        (np.array([2.0**63]), "int64", "e\\+18 at"),
        (np.array([2.0**64]), "uint64", "e\\+19 at"),
        (np.array([-129], np.int16), "qint8", "^-129 at"),
        (np.array([2049]), "float16", "^2049 at"),
        (np.array([65536]), "float16", "^65536 at"),
        (np.array([2**24 + 1]), "float32", "^16777217 at"),
        (np.array([2**63 - 1]), "float64", "^9223372036854775807 at"),
        (np.array([2**64 - 1], np.uint64), "float64", "^18446744073709551615 at"),
        (np.array([2**24 + 1]), "complex64", "^16777217 at"),
        (np.array([257]), "bfloat16", "^257 at"),
        (np.array([2**62 + 1]), "bfloat16", "^4611686018427387905 at"),
        (np.array([5]), "float4_e2m1fn", "^5 at"),
        (np.array([0.5]), "int32", "^0.5 at"),
        (np.array([np.nan]), "int32", "^nan at"),
        (np.array([np.inf]), "int64", "^inf at"),
        (np.array([2]), "bool", "^2 at"),
        (np.array([0.5]), "bool", "^0.5 at"),
        (np.array([1j]), "float32", "1j\\)? at"),
        (np.array([1 + 1j]), "int32", r"^\(1\+1j\) at"),
        (np.array([complex(1, np.nan)]), "bfloat16", r"nanj\) at"),
        (np.array([1e300 + 0j]), "complex64", r"^\(1e\+300\+0j\) at"),
        pytest.param(
            np.array([2], np.longdouble) ** 2000,
            "bfloat16",
            r"e\+602 at",
            marks=pytest.mark.skipif(np.finfo(np.longdouble).maxexp < 2001, reason="a long double is a double here"),
        ),
        (np.array([8]), "int4", r"^8 at index \[0\] has no counterpart in int4, which goes from -8 to 7$"),
        (np.array([-1]), "uint2", "which goes from 0 to 3$"),
    ],
)
def test_numbers_that_would_change_are_refused(values, name, problem):
    with pytest.raises(ValueError, match=problem):
        dtype_named(name).encode(values)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (np.array(["1"]), "int32"),
        (np.array([b"1"]), "uint8"),
        (np.array([1], object), "int32"),
        (np.array(["2020"], "M8[Y]"), "int64"),
        (np.zeros(1, "i4,i4"), "int64"),
        (np.array([1]), "string"),
        (np.array([1]), "variant"),
    ],
)
def test_values_that_are_not_numbers_are_refused(values, name):
    with pytest.raises(TypeError, match=f"cannot become {name}|numbers"):
        dtype_named(name).encode(values)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "int4", "float16", "int32"])
def test_stored_elements_of_either_byte_order_and_any_rank_are_decoded(name):
    row = dtype_named(name)
    stored = row.encode(np.array([[0, 1], [-2, 3]]))
    swapped = stored.astype(stored.dtype.newbyteorder(">"))
    np.testing.assert_array_equal(row.decode(swapped), [[0, 1], [-2, 3]])
    scalar = row.decode(np.array(stored[1, 1]))
    assert isinstance(scalar, np.ndarray)
    assert scalar == 3


@given(st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=5), st.sampled_from(list(DTYPES.values())))
def test_an_integer_either_stays_the_same_or_is_refused(values, row):
    if row.is_object or (min(values) < 0 and max(values) >= 2**63):
        return
    array = np.array(values, np.uint64 if max(values) >= 2**63 else np.int64)
    try:
        encoded = row.encode(array)
    except ValueError:
        return
    assert [int(value) for value in row.decode(encoded).real.tolist()] == values
