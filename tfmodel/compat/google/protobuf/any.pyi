"""Written by `python -m tests.stubs`."""

from pbwire.compat.functions import pack as pack, unpack as unpack, unpack_as as unpack_as, type_name as type_name, is_type as is_type
