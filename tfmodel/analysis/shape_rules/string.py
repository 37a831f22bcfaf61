"""Shape rules of ops on strings."""

from __future__ import annotations

from ...values.shape import SCALAR, Shape, axis_of, broadcast, count_elements, merge_shapes, with_rank
from .table import Call, Result, Rule, same_shape, scalar, share_rule


def _join(call: Call) -> Result:
    """Return the common shape of the inputs; scalars are broadcast."""
    shape: Shape | None = SCALAR
    for input_shape in call.shapes:
        if input_shape is None:
            shape = None if shape == () else shape
        elif input_shape != ():
            shape = merge_shapes(None if shape == () else shape, input_shape)
    return shape if None not in call.shapes or shape != () else None


def _reduce_join(call: Call) -> Result:
    shape, axes, keep = call.shape(0), call.numbers(1), call.attr("keep_dims", bool, False)
    if shape is None or axes is None:
        return None if shape is None or not keep else (None,) * len(shape)
    removed = {axis_of(axis, len(shape)) for axis in axes}
    return tuple(1 if axis in removed else size for axis, size in enumerate(shape) if keep or axis not in removed)


def _split(call: Call) -> Result:
    return [(None, 2), (None,), (2,)]


def _substr(call: Call) -> Result:
    merge_shapes(call.shape(1), call.shape(2))
    return broadcast(call.shape(0), call.shape(1))


def _decode_unicode(call: Call) -> Result:
    """Return the shapes of row splits, characters and, for the op with offsets, their positions."""
    count = count_elements(call.shape(0))
    splits = (None if count is None else count + 1,)
    return [splits, *[(None,)] * (2 if call.node.op.endswith("Offsets") else 1)]


def _n_grams(call: Call) -> Result:
    with_rank(call.shape(0), 1)
    return [(None,), with_rank(call.shape(1), 1)]


RULES: dict[str, Rule] = {
    "ReduceJoin": _reduce_join,
    "StringFormat": scalar,
    "StringJoin": _join,
    "StringNGrams": _n_grams,
    "StringSplit": _split,
    "StringSplitV2": _split,
    "Substr": _substr,
    "UnicodeDecode": _decode_unicode,
    "UnicodeDecodeWithOffsets": _decode_unicode,
    **share_rule(
        """
        AsString DecodeBase64 EncodeBase64 RegexFullMatch RegexReplace StaticRegexFullMatch
        StaticRegexReplace StringLength StringLower StringStrip StringToHashBucket StringToHashBucketFast
        StringToHashBucketStrong StringToNumber StringUpper UnicodeScript UnicodeTranscode
        """,
        same_shape,
    ),
}
