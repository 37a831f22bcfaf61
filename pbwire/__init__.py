"""A protobuf runtime in plain Python: messages are dataclasses, and their class bodies are the tables.

`pbwire.table` declares messages, `pbwire.text` prints them, `pbwire.raw` walks bytes without a table, and
`pbwire.wellknown` has Google's own types. There is no registry and no generated file; nothing is compiled before it is
used. Needs the standard library only.
"""

from .errors import DecodeError, EncodeError, Error, JsonError, TextFormatError
from .explaining import explain
from .message import Message, get
from .table import Enum, table_of

__all__ = [
    "DecodeError",
    "EncodeError",
    "Enum",
    "Error",
    "JsonError",
    "Message",
    "TextFormatError",
    "explain",
    "get",
    "table_of",
]
