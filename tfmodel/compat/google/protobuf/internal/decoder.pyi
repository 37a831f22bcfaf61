"""Written by `python -m tests.stubs`."""

from pbwire.compat.delimited import DecodeVarint as _DecodeVarint, DecodeVarint32 as _DecodeVarint32, DecodeSignedVarint as _DecodeSignedVarint, DecodeSignedVarint32 as _DecodeSignedVarint32, ReadTag as ReadTag
