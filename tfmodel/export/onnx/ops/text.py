"""Text that is computed is refused: ONNX lacks most of it, and the rest belongs to pipelines of data."""

from __future__ import annotations

from ..conversion.registry import beyond

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

_NOT_CONVERTED = (
    "AsString", "RegexFullMatch", "StaticRegexFullMatch", "StringJoin", "StringLower", "StringToNumber", "StringUpper",
)  # fmt: skip
"""Those of a pipeline of data, before the model."""

beyond(dict.fromkeys(_NOT_CONVERTED, "text is compared and looked up, but not computed"))
beyond({op: f"ONNX lacks {what}" for what, ops in _LACKING.items() for op in ops.split()})
