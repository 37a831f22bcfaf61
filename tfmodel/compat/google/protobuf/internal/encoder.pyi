"""Written by `python -m tests.stubs`."""

from pbwire.compat.delimited import EncodeVarint as _EncodeVarint, EncodeSignedVarint as _EncodeSignedVarint, VarintBytes as _VarintBytes, VarintEncoder as _VarintEncoder, VarintSize as _VarintSize, TagBytes as TagBytes
