"""Written by `python -m tests.stubs`."""

from pbwire.compat.functions import serialize as serialize, parse as parse, serialize_length_prefixed as serialize_length_prefixed, parse_length_prefixed as parse_length_prefixed, byte_size as byte_size, clear_message as clear_message, clear_field as clear_field
