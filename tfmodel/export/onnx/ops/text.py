"""Text, as far as ONNX has operators for it: numbers of strings and strings of numbers, joining from opset 20 on."""

from __future__ import annotations

from ....values.dtypes import dtype_of
from ..conversion import operators
from ..conversion.call import BOOL, STRING, Call
from ..conversion.model import Value
from ..conversion.registry import beyond, converter


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


@converter("StaticRegexFullMatch", "RegexFullMatch")
def _full_match(call: Call) -> Value:
    """Whether a whole string matches a pattern; both use the library RE2."""
    call.need_opset(20, "matching regular expressions")
    if call.node.op == "RegexFullMatch":
        pattern = call.required(1, "its pattern").item().decode()
    else:
        pattern = call.attr("pattern", str)
    return call.laid_out(call.add("RegexFullMatch", call.input(0), dtype=BOOL, pattern=pattern))


@converter("StringLower", "StringUpper")
def _other_case(call: Call) -> Value:
    """Letters of ASCII in another case, which is what the locale "C" changes on every machine."""
    if call.attr("encoding", str, ""):
        call.refuse("which letters beyond ASCII ONNX changes depends on the machine")
    x = operators.flat(call, call.input(0))
    shape = call.shape(0)
    may_be_empty = shape is None or None in shape or 0 in shape
    if may_be_empty:  # onnxruntime refuses empty tensors
        x = call.add("Concat", x, call.const([b""], STRING), axis=0)
    x = call.add("StringNormalizer", x, case_change_action=call.node.op[len("String") :].upper(), locale="C")
    if may_be_empty:
        x = operators.slice_axes(call, x, [0], [-1], [0])
    return call.laid_out(call.add("Reshape", x, operators.shape_of(call, call.input(0))))


_LACKING = {
    "its hash function": "StringToHashBucketFast StringToHashBucket StringToHashBucketStrong",
    "the same rules for empty parts of split text": "StringSplit StringSplitV2",
    "ragged text": "StringNGrams",
    "replacement by regular expressions": "RegexReplace StaticRegexReplace",
    "Unicode": "UnicodeDecode UnicodeTranscode UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript",
    "stripped text": "StringStrip",
    "parts of text": "Substr",
    "lengths of text": "StringLength",
    "joined text": "ReduceJoin",
    "formatted text": "StringFormat",
    "Base64": "DecodeBase64 EncodeBase64",
}
"""The parts that ONNX lacks, with the ops of text that need them."""

beyond({op: f"ONNX lacks {what}" for what, ops in _LACKING.items() for op in ops.split()})
