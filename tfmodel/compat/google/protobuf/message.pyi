"""Written by `python -m tests.stubs`."""

from pbwire.compat import Message as Message
from pbwire.errors import DecodeError as DecodeError
from pbwire.errors import EncodeError as EncodeError, Error as Error
