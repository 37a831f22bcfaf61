"""Written by `python -m tests.stubs`."""

from pbwire.compat.generated import GeneratedMessageType as GeneratedProtocolMessageType
