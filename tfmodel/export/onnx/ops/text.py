"""Text is compared and looked up, see `tables` and `elementwise`; what computes text is refused."""

from __future__ import annotations

from ..conversion.registry import beyond

_COMPUTED = (
    "AsString DecodeBase64 EncodeBase64 ReduceJoin RegexFullMatch RegexReplace StaticRegexFullMatch StaticRegexReplace "
    "StringFormat StringJoin StringLength StringLower StringNGrams StringSplit StringSplitV2 StringStrip "
    "StringToHashBucket StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Substr "
    "UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript UnicodeTranscode"
)
"""Ops of which ONNX lacks most, hash functions among them, and which belong to pipelines of data before a model."""

beyond(dict.fromkeys(_COMPUTED.split(), "text is compared and looked up in ONNX, but not computed"))
