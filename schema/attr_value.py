"""tensorflow/core/framework/attr_value.proto: the value of a node's attribute."""

from __future__ import annotations

from pbwire import table as pb

from .tensor import TensorProto
from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["AttrValue", "NameAttrList"]


@pb.message("tensorflow.AttrValue")
class AttrValue(pb.Message):
    """The value of one attribute, of one of ten kinds. Most readers refuse an attribute without a value.

    The set field must belong to the type that the op declares (`OpDef.AttrDef.type`): `s` for "string", `i` for "int",
    `f` for "float", `b` for "bool", `list` for every "list(...)", and the field of the same name for "type", "shape",
    "tensor" and "func".
    """

    @pb.message("tensorflow.AttrValue.ListValue")
    class ListValue(pb.Message):
        """The values of a "list(...)" attribute; the field of the element's kind is used.

        If all fields are empty, the value is an empty list of any kind.
        """

        s: list[bytes] = pb.repeated(pb.bytes, 2)
        i: list[int] = pb.repeated(pb.int64, 3)
        f: list[float] = pb.repeated(pb.float, 4)
        b: list[bool] = pb.repeated(pb.bool, 5)
        type: list[DataType] = pb.repeated(DataType, 6)
        shape: list[TensorShapeProto] = pb.repeated(TensorShapeProto, 7)
        tensor: list[TensorProto] = pb.repeated(TensorProto, 8)
        func: list[NameAttrList] = pb.repeated("NameAttrList", 9)

    s: bytes | None = pb.bytes(2, oneof="value")  # not always text
    i: int | None = pb.int64(3, oneof="value")
    f: float | None = pb.float(4, oneof="value")
    b: bool | None = pb.bool(5, oneof="value")
    type: DataType | None = pb.field(DataType, 6, oneof="value")
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 7, oneof="value")
    tensor: TensorProto | None = pb.field(TensorProto, 8, oneof="value")
    list: ListValue | None = pb.field(ListValue, 1, oneof="value")
    # a function or an op by name, with values for its own attributes
    func: NameAttrList | None = pb.field("NameAttrList", 10, oneof="value")
    # only inside a FunctionDef: the name of the function's attribute whose value goes here when it is called
    placeholder: str | None = pb.string(9, oneof="value")


@pb.message("tensorflow.NameAttrList")
class NameAttrList(pb.Message):
    """A function or an op by its name, together with the attribute values to instantiate it with.

    Branches and loop bodies (`then_branch`, `body`, `f`) are referred to in this way.
    """

    name: str = pb.string(1)
    attr: dict[str, AttrValue] = pb.map(pb.string, AttrValue, 2)
