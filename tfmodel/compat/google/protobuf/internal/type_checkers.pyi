"""Written by `python -m tests.stubs`."""

from pbwire.compat.wire_formats import GetTypeChecker as GetTypeChecker, ToShortestFloat as ToShortestFloat, TruncateToFourByteFloat as TruncateToFourByteFloat
