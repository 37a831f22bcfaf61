"""tensorflow/core/framework/api_def.proto: how generated APIs of languages show an op."""

from __future__ import annotations

from pbwire import table as pb

from .attr_value import AttrValue

__all__ = ["ApiDef", "ApiDefs"]


@pb.message("tensorflow.ApiDef")
class ApiDef(pb.Message):
    """The API of one op, as the files `api_def_*.pbtxt` of TensorFlow have it.

    What one language says replaces what all languages have in common.
    """

    @pb.enum("tensorflow.ApiDef.Visibility")
    class Visibility(pb.Enum):
        """Whether the generated API has the op."""

        DEFAULT_VISIBILITY = 0  # as inherited, else VISIBLE
        VISIBLE = 1
        SKIP = 2  # not generated
        HIDDEN = 3  # generated under a private name

    @pb.message("tensorflow.ApiDef.Endpoint")
    class Endpoint(pb.Message):
        """A name under which the API has the op: "train.Saver"."""

        name: str = pb.string(1)
        deprecated: bool = pb.bool(3)
        deprecation_version: int = pb.int32(4)  # the major version that removes the name

    @pb.message("tensorflow.ApiDef.Arg")
    class Arg(pb.Message):
        """Another name or description for an input or output."""

        name: str = pb.string(1)
        rename_to: str = pb.string(2)
        description: str = pb.string(3)

    @pb.message("tensorflow.ApiDef.Attr")
    class Attr(pb.Message):
        """Another name, default or description for an attribute."""

        name: str = pb.string(1)
        rename_to: str = pb.string(2)
        default_value: AttrValue | None = pb.field(AttrValue, 3)
        description: str = pb.string(4)

    graph_op_name: str = pb.string(1)  # the name of the OpDef
    deprecation_message: str = pb.string(12)
    deprecation_version: int = pb.int32(13)  # the major version that removes the op
    visibility: Visibility = pb.field(Visibility, 2)
    endpoint: list[Endpoint] = pb.repeated(Endpoint, 3)  # the canonical name first
    in_arg: list[Arg] = pb.repeated(Arg, 4)
    out_arg: list[Arg] = pb.repeated(Arg, 5)
    arg_order: list[str] = pb.repeated(pb.string, 11)  # names of inputs; empty: as in the OpDef
    attr: list[Attr] = pb.repeated(Attr, 6)
    summary: str = pb.string(7)
    description: str = pb.string(8)
    description_prefix: str = pb.string(9)  # text before an inherited description
    description_suffix: str = pb.string(10)


@pb.message("tensorflow.ApiDefs")
class ApiDefs(pb.Message):
    """The contents of an api_def file."""

    op: list[ApiDef] = pb.repeated(ApiDef, 1)
