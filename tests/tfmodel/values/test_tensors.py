"""TensorProto to arrays and back, against TensorFlow's answers and in damaged and hostile forms."""

from __future__ import annotations

import fnmatch
import gzip
import json
import math
import tracemalloc
from itertools import islice
from math import prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pbwire
from tests.golden.tensors.conversions import FILE
from tests.support.case_tables import each_case
from tests.support.effort import scaled
from tests.support.strategies import mutations, wire_bytes
from tests.tfmodel.models import shape
from tests.tfmodel.values.tensor_cases import READ, WRITE
from tfmodel.errors import TensorError
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    NodeDef,
    ResourceHandleProto,
    TensorProto,
    TensorShapeProto,
    VariantTensorDataProto,
)
from tfmodel.values.dtypes import DTYPES, dtype_of
from tfmodel.values.shape import shape_to_proto
from tfmodel.values.tensors import element_at, elements_of, from_ndarray, to_ndarray

ANSWERS = {row["name"]: row for row in map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines())}
AGAIN = "made anew by `python -m tests.golden.tensors.conversions`"
NUMBERS = [row for row in DTYPES.values() if not row.is_object]


def filled(dtype, sizes, **values):
    return TensorProto(dtype=dtype, tensor_shape=shape(*sizes), **values)


# --- against TensorFlow ----------------------------------------------------------------------------------------------

# Where we judge otherwise: what we do instead, and why.
READ_OTHERWISE = {
    "*: listed, reference": ("an array", "a reference type is read like its type, as TensorFlow does with content"),
    "string: reference": ("an array", "the same"),
    "complex64: listed, half a number": ("an error", "TensorFlow drops the half without a word"),
    "float32: negative dimension": ("an error", "-2 is no size; NumPy takes it for -1 in the version TensorFlow has"),
    "float32: unknown rank": ("an error", "TensorFlow overlooks the flag and takes the tensor for a scalar"),
    "float32: many dimensions": ("an array", "newer versions of NumPy have up to 64 dimensions"),
    "bool: content of twos": ("an array", "a bool is 0 or 1; NumPy finds that a true of 2 is not True"),
}
WRITE_OTHERWISE = {
    "*: big-endian": ("bytes", "TensorFlow refuses it or stores the bytes as they are, which changes the numbers"),
    "bfloat16: *": ("bytes", "newer versions of TensorFlow put it into tensor_content, as we do"),
    "Python: floats as bfloat16": ("bytes", "the same"),
    "Python: float32 halfway as bfloat16": ("bytes", "the same"),
    "Python: strings": ("bytes", "TensorFlow takes text, or bytes that are not UTF-8, but not both in one list"),
    "Python: ints too large for uint8": ("an error", "TensorFlow lets them wrap around"),
    "Python: floats too large for float16": ("an error", "TensorFlow makes infinity of them"),
    "Python: whole floats as int32": ("bytes", "nothing is lost"),
    "Python: ints as bool": ("bytes", "nothing is lost if they are 0 and 1"),
    "Python: float64 array too large for float32": ("an error", "TensorFlow makes infinity of it"),
    "Python: float32 array with fractions as int32": ("an error", "TensorFlow cuts them off"),
    "Python: int64 array too large for int32": ("an error", "TensorFlow lets it wrap around"),
    "Python: int32 array too precise for float32": ("an error", "TensorFlow rounds it"),
    "Python: complex array as float32": ("an error", "TensorFlow drops the imaginary part"),
    "Python: infinity as float8_e4m3fn": ("an error", "TensorFlow makes NaN of it"),
    "Python: float32 too large for float8_e5m2": ("an error", "TensorFlow makes infinity of it"),
}


def otherwise(name, table):
    return next((what for pattern, (what, _) in table.items() if fnmatch.fnmatchcase(name, pattern)), None)


def described(array):
    if array.dtype == object:
        return ["object", list(array.shape), [element.hex() for element in array.ravel()]]
    return [array.dtype.name, list(array.shape), array.tobytes().hex()]


def with_one_nan(description):
    """NaNs of types that NumPy lacks become NaNs of different bits in TensorFlow and in ml_dtypes."""
    name, sizes, elements = description
    if name != "float32":
        return description
    array = np.frombuffer(bytes.fromhex(elements), "<f4").copy()
    array[np.isnan(array)] = np.nan
    return [name, sizes, array.tobytes().hex()]


def peak(function, *args):
    """The most memory that a call takes, in bytes. It is to be called once before, which compiles and imports."""
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def type_of(case):
    """Return the data type of a case, with which its name begins."""
    return case.name.partition(":")[0]


def outcome(function, *args):
    try:
        return function(*args)
    except (TensorError, TypeError, ValueError) as error:
        return error


def test_the_recorded_cases_are_current():
    assert [*ANSWERS] == [case.name for case in (*READ, *WRITE)], AGAIN


@each_case("case", {case.name: case for case in READ}, type_of)
def test_arrays_are_those_of_tensorflow(case):
    answer = ANSWERS[case.name]
    ours = outcome(to_ndarray, TensorProto.from_bytes(bytes.fromhex(answer["proto"])))
    what = otherwise(case.name, READ_OTHERWISE)
    if isinstance(ours, Exception):
        assert isinstance(ours, TensorError)
        assert "error" in answer or what == "an error"
    elif what is None:
        assert with_one_nan(described(ours)) == with_one_nan(answer["array"])
    else:
        assert what == "an array"
        assert "error" in answer or with_one_nan(described(ours)) != with_one_nan(answer["array"])


@each_case("case", {case.name: case for case in WRITE}, type_of)
def test_messages_are_those_of_tensorflow(case):
    answer = ANSWERS[case.name]
    ours = outcome(from_ndarray, case.values, case.dtype)
    what = otherwise(case.name, WRITE_OTHERWISE)
    if isinstance(ours, Exception):
        assert isinstance(ours, (TypeError, ValueError))
        assert "error" in answer or what == "an error"
        return
    data = ours.to_bytes(deterministic=True).hex()
    if what is None:
        assert data == answer["proto"]
    else:
        assert what == "bytes"
        theirs = None if "error" in answer else to_ndarray(TensorProto.from_bytes(bytes.fromhex(answer["proto"])))
        if theirs is not None and "big-endian" not in case.name:
            np.testing.assert_array_equal(to_ndarray(ours), theirs)


@pytest.mark.parametrize(("table", "cases"), [(READ_OTHERWISE, READ), (WRITE_OTHERWISE, WRITE)])
def test_every_difference_is_met(table, cases):
    unmet = [pattern for pattern in table if not any(fnmatch.fnmatchcase(case.name, pattern) for case in cases)]
    assert unmet == []


# --- what TensorFlow 2.12 does not know, or does not read ------------------------------------------------------------

HANDLES = [ResourceHandleProto(name="a"), ResourceHandleProto(name="b")]
OBJECTS = [VariantTensorDataProto(type_name="a"), VariantTensorDataProto(metadata=b"b")]


@pytest.mark.parametrize(
    ("message", "elements"),
    [
        (filled(DataType.DT_INT4, (4,), int_val=[-8, 7, -1, 3]), [-8, 7, -1, 3]),
        (filled(DataType.DT_INT4, (4,), tensor_content=b"\x08\xf8\x07\x0f"), [-8, -8, 7, -1]),
        (filled(DataType.DT_UINT4, (3,), int_val=[15]), [15, 15, 15]),
        (filled(DataType.DT_UINT4, (2,), tensor_content=b"\x0f\x1f"), [15, 15]),
        (filled(DataType.DT_INT2, (4,), int_val=[-2, -1, 0, 1]), [-2, -1, 0, 1]),
        (filled(DataType.DT_UINT2, (4,), tensor_content=b"\0\1\2\3"), [0, 1, 2, 3]),
        (filled(DataType.DT_FLOAT4_E2M1FN, (3,), float8_val=b"\x07\x09\x01"), [6.0, -0.5, 0.5]),
        (filled(DataType.DT_FLOAT8_E4M3FNUZ, (2,), float8_val=b"\x08\x7f"), [0.0078125, 240.0]),
        (filled(DataType.DT_FLOAT8_E4M3B11FNUZ, (2,), tensor_content=b"\x7f\x01"), [30.0, 2**-13]),
        (filled(DataType.DT_FLOAT8_E5M2FNUZ, (2,), float8_val=b"\x7f"), [57344.0, 57344.0]),
        (filled(DataType.DT_STRING, (2,), tensor_content=b"\2\0ab"), [b"ab", b""]),
        (filled(DataType.DT_STRING, (2,)), [b"", b""]),
        (filled(DataType.DT_RESOURCE, (2,), resource_handle_val=HANDLES), HANDLES),
        (filled(DataType.DT_RESOURCE, (3,), resource_handle_val=HANDLES), [*HANDLES, ResourceHandleProto()]),
        (filled(DataType.DT_RESOURCE, (2,), resource_handle_val=HANDLES[:1]), [HANDLES[0], ResourceHandleProto()]),
        (filled(DataType.DT_RESOURCE, (2,)), [ResourceHandleProto()] * 2),
        (filled(DataType.DT_RESOURCE, (1,), tensor_content=b"\3" + HANDLES[0].to_bytes()), HANDLES[:1]),
        (filled(DataType.DT_VARIANT, (2,), variant_val=OBJECTS), OBJECTS),
        (filled(DataType.DT_VARIANT, (2,), tensor_content=b"\3\3" + b"".join(o.to_bytes() for o in OBJECTS)), OBJECTS),
        (filled(DataType.DT_VARIANT_REF, (1,), variant_val=OBJECTS[:1]), OBJECTS[:1]),
    ],
)
def test_other_elements(message, elements):
    array = to_ndarray(message)
    assert list(array) == elements
    assert array.dtype == dtype_of(message.dtype).numpy
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("values", "dtype", "fields"),
    [
        ([-8, 7], DataType.DT_INT4, {"int_val": [-8, 7]}),
        ([0, 3], DataType.DT_UINT2, {"int_val": [0, 3]}),
        ([0.5], DataType.DT_FLOAT8_E5M2FNUZ, {"float8_val": b"\x3c"}),
        ([0.5, 1], DataType.DT_FLOAT8_E4M3FNUZ, {"tensor_content": b"\x38\x40"}),
        ([0.5, -6], DataType.DT_FLOAT4_E2M1FN, {"float8_val": b"\x01\x0f"}),
        (HANDLES, None, {"resource_handle_val": HANDLES}),
        (OBJECTS, None, {"variant_val": OBJECTS}),
        (OBJECTS, DataType.DT_VARIANT, {"variant_val": OBJECTS}),
        ([], DataType.DT_RESOURCE, {}),
    ],
)
def test_other_messages(values, dtype, fields):
    message = from_ndarray(values, dtype)
    assert message == TensorProto(dtype=message.dtype, tensor_shape=shape(len(values)), **fields)
    assert dtype is None or message.dtype == dtype


@pytest.mark.parametrize("row", NUMBERS, ids=[row.name for row in NUMBERS])
def test_arrays_of_ml_dtypes_are_known_by_their_names(row):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes, which has these types, is not there")
    kind = np.dtype(getattr(ml_dtypes, row.name, row.numpy))
    values = np.array([[0, 1, 1], [1, 0, 1]], kind)[:, ::-1]
    message = from_ndarray(values)
    if row.codec:
        assert message.dtype == row.number
        assert from_ndarray(values, DataType.DT_FLOAT) == from_ndarray(values.astype(np.float32))
    np.testing.assert_array_equal(to_ndarray(message), values.astype(row.numpy))
    assert from_ndarray(kind.type(1)).tensor_shape == shape()


# --- memory ----------------------------------------------------------------------------------------------------------


def test_an_array_shares_the_bytes_of_the_message():
    message = from_ndarray(np.arange(1000.0))
    array = to_ndarray(message)
    assert np.shares_memory(array, np.frombuffer(message.tensor_content, np.uint8))
    assert not array.flags.writeable


@pytest.mark.parametrize("sizes", [(30_000,), (-1, 100)])
def test_an_array_shares_the_bytes_of_a_lazy_input_and_leaves_the_message_as_it_is(sizes):
    tensor = from_ndarray(np.arange(30_000.0).reshape(sizes))
    tensor.tensor_shape = shape(*sizes)
    data = GraphDef(node=[NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})]).to_bytes()
    graph = GraphDef.from_bytes(data, lazy=True)
    array = to_ndarray(graph.node[0].attr["value"].tensor)
    assert np.shares_memory(array, np.frombuffer(data, np.uint8))
    assert not array.flags.writeable
    np.testing.assert_array_equal(array.ravel(), np.arange(30_000.0))
    assert graph.to_bytes() == data


def test_the_last_content_of_a_lazy_message_counts():
    data = from_ndarray(np.zeros(30_000)).to_bytes() + TensorProto(tensor_content=np.ones(30_000).tobytes()).to_bytes()
    value = AttrValue.from_bytes(b"\x42" + _varint(len(data)) + data, lazy=True)
    assert to_ndarray(TensorProto.from_bytes(data))[0] == 1
    assert to_ndarray(value.tensor)[0] == 1


def _varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def test_damage_in_a_large_lazy_message_is_an_error_with_its_path():
    tensor = from_ndarray(np.zeros(30_000)).to_bytes() + b"\x0f"
    value = AttrValue.from_bytes(b"\x42" + _varint(len(tensor)) + tensor, lazy=True)
    with pytest.raises(pbwire.DecodeError, match="TensorProto"):
        to_ndarray(value.tensor)


@pytest.mark.parametrize(
    ("message", "sizes", "element"),
    [
        (filled(DataType.DT_FLOAT, (2**40, 3), float_val=[0.5]), (2**40, 3), 0.5),
        (filled(DataType.DT_INT64, (2**59,)), (2**59,), 0),
        (filled(DataType.DT_BFLOAT16, (2**50,), half_val=[0x3F80]), (2**50,), 1.0),
        (filled(DataType.DT_COMPLEX64, (2**50,), scomplex_val=[1, 2]), (2**50,), 1 + 2j),
        (filled(DataType.DT_STRING, (2**50,), string_val=[b"a"]), (2**50,), b"a"),
        (filled(DataType.DT_VARIANT, (2**50,)), (2**50,), VariantTensorDataProto()),
    ],
)
def test_one_element_for_all_takes_no_memory_in_either_direction(message, sizes, element):
    array = to_ndarray(message)
    assert array.shape == sizes
    assert array[(0,) * len(sizes)] == element == array[(-1,) * len(sizes)]
    assert not any(array.strides)
    assert not array.flags.writeable
    if message.dtype != DataType.DT_VARIANT:
        back = from_ndarray(array, message.dtype)
        assert back.tensor_shape == message.tensor_shape
        assert to_ndarray(back)[(1,) * len(sizes)] == element
        assert len(back.to_bytes()) < 40


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (
            filled(DataType.DT_FLOAT, (2, 3), tensor_content=bytes(20)),
            r"^float32\[2,3\] needs 24 bytes .* which has 20$",
        ),
        (filled(DataType.DT_FLOAT, (2,), tensor_content=bytes(9)), r"^float32\[2\] needs 8 bytes .* which has 9$"),
        (filled(DataType.DT_INT4, (4,), tensor_content=bytes(2)), r"^int4\[4\] needs 4 bytes .* which has 2$"),
        (filled(DataType.DT_INT8, (0,), tensor_content=b"a"), r"^int8\[0\] needs 0 bytes .* which has 1$"),
        (filled(DataType.DT_INT32, (2**62, 2**62), int_val=[1]), "larger than an array can be$"),
        (filled(DataType.DT_INT32, (2**61, 8)), "larger than an array can be$"),
        (filled(DataType.DT_INT32, (0, 2**62, 2**62)), "larger than an array can be$"),
        (filled(DataType.DT_UINT8, (2**40,), tensor_content=b"a"), r"needs 1,099,511,627,776 bytes .* which has 1$"),
        (filled(DataType.DT_INT32, (2,), int_val=[1, 2, 3]), r"^int32\[2\] has 2 elements, int_val has 3$"),
        (filled(DataType.DT_INT32, (), int_val=[1, 2]), r"^int32\[\] has 1 element, int_val has 2$"),
        (filled(DataType.DT_INT32, (0,), int_val=[1]), r"^int32\[0\] has 0 elements, int_val has 1$"),
        (filled(DataType.DT_INT32, (2**40,), int_val=[1, 2]), r"would take 4,398,046,511,104 bytes .* of 2 values"),
        (filled(DataType.DT_FLOAT8_E5M2, (2**28 + 1,), float8_val=b"ab"), r"would take 1,073,741,828 bytes"),
        (filled(DataType.DT_STRING, (2**40,), string_val=[b"", b"a"]), "would take"),
        (filled(DataType.DT_RESOURCE, (2**40,), resource_handle_val=HANDLES[:1]), "would take"),
        (filled(DataType.DT_INT32, (-1,), int_val=[1]), r"^dimension 0 of int32\[-1\] is not known$"),
        (filled(DataType.DT_INT32, (2, -1), tensor_content=bytes(12)), r"^dimension 1 of int32\[2,-1\] is not known$"),
        (filled(DataType.DT_INT32, (2, -5)), r"^dimension 1 of int32\[2,-5\] is negative$"),
        (filled(DataType.DT_INT32, (-(2**63),)), "is negative$"),
        (TensorProto(dtype=DataType.DT_INT32, tensor_shape=TensorShapeProto(unknown_rank=True)), "not even its rank$"),
        (filled(DataType.DT_INT32, (1,) * 65), "has 65 dimensions; arrays have at most 64$"),
        (filled(DataType.DT_INT32, (2**62,) * 100_000), "has 100,000 dimensions"),
        (
            filled(DataType.DT_COMPLEX128, (1,), dcomplex_val=[1.0]),
            "not an even number: two of them make a complex number$",
        ),
        (filled(DataType.DT_STRING, (3,), tensor_content=b"\1a"), "needs more than tensor_content has"),
        (filled(DataType.DT_STRING, (2**59,), tensor_content=b"\0" * 9), "needs more than tensor_content has"),
        (filled(DataType.DT_STRING, (2**60,), tensor_content=b"\0" * 9), "larger than an array can be$"),
        (filled(DataType.DT_STRING, (1,), tensor_content=b"\2a"), "needs 3 bytes in tensor_content, which has 2$"),
        (filled(DataType.DT_STRING, (1,), tensor_content=b"\0a"), "needs 1 bytes in tensor_content, which has 2$"),
        (
            filled(DataType.DT_STRING, (1,), tensor_content=b"\xff" * 9 + b"\x01"),
            "needs 18,446,744,073,709,551,625 bytes",
        ),
        (filled(DataType.DT_VARIANT, (1,), tensor_content=b"\1\7"), "an element of .* is damaged: "),
        (filled(DataType.DT_INVALID, ()), "^the type is not set$"),
        (filled(77, ()), "^there is no type of number 77$"),
        (filled(200, ()), "^there is no type of number 200$"),
        (filled(-99, ()), "^there is no type of number -99$"),
        (filled(DataType.DT_INT32, (1,), int_val=["a"]), r"^int32\[1\] is not an array: "),
        (filled(DataType.DT_INT32, (1,), int_val=[2**64]), r"^int32\[1\] is not an array: "),
        (filled(DataType.DT_FLOAT, (1,), float_val=[b"a"]), r"^float32\[1\] is not an array: "),
    ],
)
def test_invalid_tensors_are_refused_before_memory_is_allocated(message, problem):
    with pytest.raises(TensorError, match=problem):
        to_ndarray(message)
    assert peak(outcome, to_ndarray, message) < 100_000


def test_the_limit_for_filled_constants_can_be_given():
    message = filled(DataType.DT_INT32, (100,), int_val=[1, 2])
    assert to_ndarray(message, max_fill=400)[-1] == 2
    with pytest.raises(TensorError, match="more than 399"):
        to_ndarray(message, max_fill=399)


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="expected a TensorProto, not bytes"):
        to_ndarray(b"")


@pytest.mark.parametrize(
    ("values", "dtype", "error", "problem"),
    [
        (None, None, ValueError, "^None is not an array$"),
        ([1], "float32", TypeError, "^dtype is a DataType"),
        ([1], np.float32, TypeError, "^dtype is a DataType"),
        ([1], 0, ValueError, "the type is not set"),
        ([2**64], None, TypeError, "^no tensor has elements such as 18446744073709551616, a Python int$"),
        ([object], None, TypeError, "a Python type$"),
        (np.zeros(1, "M8[D]"), None, TypeError, r"^no tensor has elements of type datetime64\[D\]$"),
        (np.zeros(1, "g"), None, TypeError, "^no tensor has elements of type "),
        (np.zeros(1, "i4,f4"), DataType.DT_INT32, TypeError, "^elements of type .* cannot become int32$"),
        (["a"], DataType.DT_INT32, TypeError, "^elements that are not numbers cannot become int32$"),
        ([[1, 2], [3]], None, ValueError, None),  # NumPy 1.23 makes an array of lists
        ([[1, 2], [3]], DataType.DT_FLOAT, ValueError, None),
        (["a", 1], None, TypeError, "^1, a Python int, is not an element of a string tensor$"),
        ([1], DataType.DT_RESOURCE, TypeError, "is not a ResourceHandleProto$"),
        ([*HANDLES, OBJECTS[0]], None, TypeError, "is not a ResourceHandleProto$"),
        (["\ud800"], None, ValueError, "surrogates not allowed"),
    ],
)
def test_values_that_a_tensor_cannot_hold_are_refused(values, dtype, error, problem):
    with pytest.raises(error, match=problem):
        from_ndarray(values, dtype)


def test_a_list_that_holds_itself_is_refused():
    values = []
    values.append(values)
    with pytest.raises((TypeError, ValueError)):
        from_ndarray(values)


def test_the_type_of_a_buffer_is_kept_and_that_of_a_list_is_not():
    values = memoryview(np.array([0.5]))
    assert from_ndarray(values).dtype == DataType.DT_DOUBLE
    assert from_ndarray(list(values)).dtype == DataType.DT_FLOAT


def test_one_long_string_among_short_ones_takes_no_more_than_its_length():
    strings = [b"", *[b"a"] * 999, b"x" * 1_000_000]
    assert from_ndarray(strings).string_val == strings
    assert peak(from_ndarray, strings) < 1_000_000


# --- properties ------------------------------------------------------------------------------------------------------

sizes = st.lists(st.integers(0, 4), max_size=3)


@st.composite
def given_arrays(draw):
    """An array of any bit patterns that a type has, and the type."""
    row = draw(st.sampled_from(NUMBERS))
    dims = draw(sizes)
    size = int(np.prod(dims, dtype=int)) * row.itemsize
    data = draw(st.binary(min_size=size, max_size=size))
    if row.kind == "b":
        data = bytes(byte & 1 for byte in data)
    array = row.decode(np.frombuffer(data, row.storage).reshape(dims))
    if draw(st.booleans()):
        array = array.astype(array.dtype.newbyteorder(">"))
    return (array.T if draw(st.booleans()) else array), row.number


@settings(max_examples=scaled(600))
@given(given_arrays())
def test_an_array_survives_as_a_message(drawn):
    array, dtype = drawn
    message = TensorProto.from_bytes(from_ndarray(array, dtype).to_bytes())
    back = to_ndarray(message)
    assert (message.dtype, back.shape, back.dtype) == (dtype, array.shape, dtype_of(dtype).numpy)
    assert back.tobytes() == array.astype(back.dtype).tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("count", [1, 2])
def test_a_signalling_nan_keeps_its_bits(dtype, count):
    array = np.frombuffer(bytes.fromhex("0100807f0000803f") * count, dtype)[:count]
    assert to_ndarray(TensorProto.from_bytes(from_ndarray(array).to_bytes())).tobytes() == array.tobytes()


@given(sizes.flatmap(lambda dims: st.tuples(st.just(dims), st.binary(max_size=5))), st.integers(0, 50))
def test_strings_survive_as_a_message(drawn, seed):
    dims, word = drawn
    array = np.empty(dims, object)
    array[...] = word
    array.reshape(-1)[seed % 7 :: 2] = b"other\0"
    back = to_ndarray(TensorProto.from_bytes(from_ndarray(array).to_bytes()))
    assert back.shape == array.shape
    assert back.tolist() == array.tolist()


def check_hostile(message, size):
    def read():
        try:
            array = to_ndarray(message, max_fill=100_000)
        except pbwire.Error:
            return
        assert array.size == 0 or array.flat[0] is not None
        assert not array.flags.writeable

    read()
    assert peak(read) < 150_000 + 100 * size


INTEGERS = st.integers(-3, 3) | st.sampled_from([2**31, 2**62, 2**63 - 1, -(2**63), 300, -129])


@st.composite
def hostile(draw):
    """A message whose parts contradict each other."""
    dtype = draw(st.sampled_from([*DTYPES, *(100 + number for number in DTYPES), 0, 99, -1]))
    message = TensorProto(dtype=dtype, tensor_shape=shape(*draw(st.lists(INTEGERS, max_size=4))))
    message.tensor_shape.unknown_rank = draw(st.integers(0, 9)) == 0
    number = DTYPES.get(dtype % 100)
    field = number.field if number else "int_val"
    if draw(st.integers(0, 3)) == 0:
        message.tensor_content = draw(st.binary(max_size=40))
    if field == "float8_val":
        message.float8_val = draw(st.binary(max_size=9))
    elif field in ("string_val", "resource_handle_val", "variant_val"):
        kind = {"string_val": bytes, "resource_handle_val": ResourceHandleProto}.get(field, VariantTensorDataProto)
        setattr(message, field, [kind() for _ in range(draw(st.integers(0, 5)))])
    else:
        element = st.booleans() if field == "bool_val" else st.integers(0, 127)
        setattr(message, field, draw(st.lists(element, max_size=9)))
    return message


@settings(max_examples=scaled(800))
@given(hostile())
@example(filled(DataType.DT_INT32, (2**31, 2**30), int_val=[1, 2]))
def test_a_message_that_contradicts_itself_raises_our_error_and_takes_no_memory(message):
    check_hostile(message, len(message.to_bytes()))


@given(wire_bytes(TensorProto).flatmap(mutations))
def test_a_damaged_message_raises_our_errors_and_takes_no_memory(data):
    try:
        message = TensorProto.from_bytes(data)
    except pbwire.DecodeError:
        return
    check_hostile(message, len(data))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="arrays have at most 32 dimensions")
@pytest.mark.parametrize("array", [np.array(b"x", object), np.array(VariantTensorDataProto(), object), np.float32(1)])
def test_an_array_of_forty_dimensions_survives_as_a_message(array):
    array = np.asarray(array).reshape((1,) * 40)
    assert to_ndarray(from_ndarray(array)).shape == array.shape


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="arrays have at most 32 dimensions")
@pytest.mark.parametrize("shape", [(2,), (1,) * 40, (2,) * 40])
def test_elements_of_an_array_of_any_rank(shape):
    elements = elements_of(np.broadcast_to(np.array(b"x", object), shape))
    assert list(islice(elements, 3)) == [b"x"] * min(3, math.prod(shape))
    assert element_at(np.broadcast_to(np.array(b"x", object), shape), math.prod(shape) - 1) == b"x"


@pytest.mark.parametrize("shape", [(), (1,), (2, 2)])
def test_any_byte_but_zero_is_a_true(shape: tuple[int, ...]) -> None:
    message = TensorProto(
        dtype=DataType.DT_BOOL, tensor_shape=shape_to_proto(shape), tensor_content=b"\2" * prod(shape)
    )
    array = to_ndarray(message)
    assert (array.dtype, array.shape, array.all(), array.flags.writeable) == (np.bool_, shape, True, False)
