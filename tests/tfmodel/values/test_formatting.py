"""`tfmodel.values.formatting`: short texts of dtypes, shapes, tensors and attributes."""

from __future__ import annotations

import struct

import pytest

from pbwire.table import table_of
from tests.tfmodel.models import shape, tensor
from tfmodel.messages import AttrValue, DataType, NameAttrList, NodeDef, TensorProto, TensorShapeProto
from tfmodel.values.dtypes import dtype_name
from tfmodel.values.formatting import attr_text, attributes_text, scalar_text, shape_text, tensor_text, values_text


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (DataType.DT_FLOAT, "float32"),
        (DataType.DT_DOUBLE, "float64"),
        (DataType.DT_HALF, "float16"),
        (DataType.DT_BFLOAT16, "bfloat16"),
        (DataType.DT_FLOAT8_E4M3FN, "float8_e4m3fn"),
        (DataType.DT_STRING, "string"),
        (DataType.DT_FLOAT_REF, "float32_ref"),
        (7, "string"),
        (99, "dtype(99)"),
        (-1, "dtype(-1)"),
    ],
)
def test_dtypes(dtype, name):
    assert dtype_name(dtype) == name


def test_shapes():
    assert shape_text(shape(-1, 224, 224, 3)) == "[?,224,224,3]"
    assert shape_text(shape()) == "[]"
    assert shape_text(TensorShapeProto(unknown_rank=True)) == ""
    assert shape_text(None) == ""


def filled(dtype, sizes, **values):
    return TensorProto(dtype=dtype, tensor_shape=shape(*sizes), **values)


@pytest.mark.parametrize(
    ("message", "what", "values"),
    [
        (tensor([1.0, 0.1], 2), "float32[2]", "[1.0, 0.1]"),
        (tensor([0.5], 1), "float32[1]", "[0.5]"),
        (tensor([0.5]), "float32[]", "0.5"),
        (tensor([0.0] * 27, 3, 3, 3), "float32[3,3,3]", ""),
        (filled(DataType.DT_FLOAT, (3, 3), float_val=[0.5]), "float32[3,3]", "all 0.5"),
        (filled(DataType.DT_FLOAT, (3, 3)), "float32[3,3]", "all 0"),
        (filled(DataType.DT_FLOAT, ()), "float32[]", "0"),
        (filled(DataType.DT_INT32, (4,), int_val=[1, 2]), "int32[4]", "[1, 2, 2, 2]"),
        (filled(DataType.DT_INT64, (0,)), "int64[0]", "[]"),
        (filled(DataType.DT_INT64, (1,), int64_val=[-1]), "int64[1]", "[-1]"),
        (filled(DataType.DT_INT32, (2,), tensor_content=struct.pack("<2i", -1, 7)), "int32[2]", "[-1, 7]"),
        (filled(DataType.DT_BOOL, (2,), bool_val=[True, False]), "bool[2]", "[true, false]"),
        (filled(DataType.DT_BOOL, (2,), tensor_content=b"\1\0"), "bool[2]", "[true, false]"),
        (filled(DataType.DT_BOOL, ()), "bool[]", "false"),
        (filled(DataType.DT_STRING, (), string_val=[b"a\n\x1b"]), "string[]", r'"a\n\033"'),
        (filled(DataType.DT_STRING, (2,), string_val=[b"x" * 50, b""]), "string[2]", f'["{"x" * 40}"..., ""]'),
        (filled(DataType.DT_HALF, (2,), half_val=[0x3C00, 0xC000]), "float16[2]", "[1.0, -2.0]"),
        (filled(DataType.DT_HALF, (1,), tensor_content=b"\x00\x3c"), "float16[1]", "[1.0]"),
        (filled(DataType.DT_BFLOAT16, (1,), half_val=[0x3F80]), "bfloat16[1]", "[1]"),
        (filled(DataType.DT_BFLOAT16, (1,), tensor_content=b"\x80\x3f"), "bfloat16[1]", "[1]"),
        (filled(DataType.DT_COMPLEX64, (1,), scomplex_val=[1, 2]), "complex64[1]", ""),
        (filled(99, (1,)), "dtype(99)[1]", ""),
        (filled(DataType.DT_INT32, (2,), tensor_content=b"short"), "int32[2]", ""),
        (filled(DataType.DT_INT32, (2**62, 2**62), int_val=[1, 2]), f"int32[{2**62},{2**62}]", ""),
        (filled(DataType.DT_INT32, (-1,), int_val=[1, 2]), "int32[?]", ""),
        (TensorProto(dtype=DataType.DT_FLOAT), "float32[]", "0"),
    ],
)
def test_tensors(message, what, values):
    assert (tensor_text(message), values_text(message)) == (what, values)


L = AttrValue.ListValue


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        (AttrValue(s=b"SAME"), "SAME"),
        (AttrValue(s=b"loc:@a/b"), '"loc:@a/b"'),
        (AttrValue(s=b"\x1b"), r'"\033"'),
        (AttrValue(i=-3), "-3"),
        (AttrValue(f=0.1), "0.1"),
        (AttrValue(b=False), "false"),
        (AttrValue(type=DataType.DT_INT64), "int64"),
        (AttrValue(shape=shape(2, -1)), "[2,?]"),
        (AttrValue(shape=TensorShapeProto(unknown_rank=True)), "[...]"),
        (AttrValue(tensor=tensor([2.0])), "float32[] 2.0"),
        (AttrValue(func=NameAttrList(name="body")), "@body"),
        (AttrValue(placeholder="T"), "$T"),
        (AttrValue(), "nothing"),
        (AttrValue(list=L(i=[1, 2, 2, 1])), "[1,2,2,1]"),
        (AttrValue(list=L(s=[b"a", b""])), '[a,""]'),
        (AttrValue(list=L(type=[DataType.DT_INT64, 99])), "[int64,dtype(99)]"),
        (AttrValue(list=L(func=[NameAttrList(name="f")])), "[@f]"),
        (AttrValue(list=L()), "[]"),
        (AttrValue(list=L(i=list(range(1000)))), "[0,1,2,3,4,5,6,7,... 1,000 in all]"),
    ],
)
def test_attributes(attr, text):
    assert attr_text(attr) == text


def test_attributes_with_usual_values_are_not_listed():
    attrs = {
        "strides": AttrValue(list=L(i=[1, 2, 2, 1])),
        "padding": AttrValue(s=b"SAME"),
        "dilations": AttrValue(list=L(i=[1, 1, 1, 1])),
        "data_format": AttrValue(s=b"NHWC"),
        "explicit_paddings": AttrValue(list=L()),
        "use_cudnn_on_gpu": AttrValue(b=True),
        "_class": AttrValue(list=L(s=[b"loc:@w"])),
        "T": AttrValue(type=DataType.DT_FLOAT),
        "Tidx": AttrValue(type=DataType.DT_INT32),
        "keep_dims": AttrValue(b=True),
        "container": AttrValue(s=b""),
        "axis": AttrValue(i=0),
    }
    assert attributes_text(attrs, without=frozenset("T")) == "keep_dims padding=SAME strides=[1,2,2,1]"
    assert attributes_text({"data_format": AttrValue(s=b"NCHW")}) == "data_format=NCHW"
    assert attributes_text({}) == ""


def test_scalars():
    name = table_of(NodeDef).by_name["name"]
    content = table_of(TensorProto).by_name["tensor_content"]
    assert scalar_text('a"\x1b', name) == r'"a\"\033"'
    assert scalar_text('a"\x1b', name, bare=True) == r'a"\x1b'
    assert scalar_text(b"\xff\x00", content, bare=True, longest=1) == r"\377"
    assert scalar_text(DataType.DT_HALF, table_of(TensorProto).by_name["dtype"]) == "DT_HALF"
    assert scalar_text(0.1, table_of(AttrValue).by_name["f"]) == "0.1"
    assert scalar_text(True, table_of(AttrValue).by_name["b"]) == "true"
    assert scalar_text(-1, table_of(AttrValue).by_name["i"]) == "-1"
