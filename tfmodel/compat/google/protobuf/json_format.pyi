"""Written by `python -m tests.stubs`."""

from pbwire.compat.json_format import *
