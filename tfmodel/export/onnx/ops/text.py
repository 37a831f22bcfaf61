"""Text, as far as ONNX has operators for it: numbers of strings and strings of numbers, joining from opset 20 on."""

from __future__ import annotations

from ....values.dtypes import dtype_of
from ..conversion import operators
from ..conversion.call import BOOL, STRING, Call
from ..conversion.model import Value
from ..conversion.registry import converter


@converter("AsString")
def _as_string(call: Call) -> Value:
    """Decimal numbers of integers. Floats have another format in ONNX, and bools other words."""
    for name, default in (("precision", -1), ("width", -1)):
        if call.attr(name, int, default) != default:
            call.refuse(f"it has a {name}")
    if call.attr("fill", str, "") or call.attr("scientific", bool, False) or call.attr("shortest", bool, False):
        call.refuse("it has a format of its own")
    dtype = call.dtype(0)
    x = call.input(0)
    if dtype == BOOL:
        words = [call.const(word, STRING) for word in (b"true", b"false")]
        return call.laid_out(operators.where(call, x, *words))
    if dtype_of(dtype).numpy.kind not in "iu":
        call.refuse("ONNX formats floats in another way")
    return call.laid_out(call.cast(x, STRING))


@converter("StringToNumber")
def _to_number(call: Call) -> Value:
    call.note("StringToNumber may read text in other ways than TensorFlow, such as blanks around a number")
    return call.laid_out(call.cast(call.input(0), call.output_dtype()))


@converter("StringJoin")
def _join(call: Call) -> Value:
    """Strings one behind the other, with a separator."""
    call.need_opset(20, "joining strings")
    separator = call.attr("separator", str, "")
    joined = call.input(0)
    for index in range(1, call.count):
        if separator:
            joined = call.add("StringConcat", joined, call.const(separator.encode(), STRING))
        joined = call.add("StringConcat", joined, call.input(index))
    return call.laid_out(joined) if call.count > 1 else call.home(0)


@converter("StaticRegexFullMatch")
def _full_match(call: Call) -> Value:
    """Whether a whole string matches a pattern; both use the library RE2."""
    call.need_opset(20, "matching regular expressions")
    return call.laid_out(call.add("RegexFullMatch", call.input(0), dtype=BOOL, pattern=call.attr("pattern", str)))


_BEYOND = {
    "StringToHashBucketFast": "its hash function", "StringToHashBucket": "its hash function",
    "StringToHashBucketStrong": "its hash function", "StringSplit": "sparse text", "StringSplitV2": "sparse text",
    "StringNGrams": "ragged text", "RegexReplace": "regular expressions", "StaticRegexReplace": "regular expressions",
    "RegexFullMatch": "computed regular expressions", "UnicodeDecode": "Unicode", "UnicodeTranscode": "Unicode",
    "UnicodeDecodeWithOffsets": "Unicode", "UnicodeEncode": "Unicode", "UnicodeScript": "Unicode",
    "StringLower": "letters of other cases that do not depend on the machine",
    "StringUpper": "letters of other cases that do not depend on the machine",
    "StringStrip": "stripped text", "Substr": "parts of text", "StringLength": "lengths of text",
    "ReduceJoin": "joined text", "StringFormat": "formatted text", "DecodeBase64": "Base64", "EncodeBase64": "Base64",
}  # fmt: skip
"""Ops of text that ONNX has no operators for, and what it lacks."""


@converter(*_BEYOND)
def _refused(call: Call) -> Value:
    call.refuse(f"ONNX lacks {_BEYOND[call.node.op]}", "name its result as an input")
