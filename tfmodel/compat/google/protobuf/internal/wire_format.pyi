"""Written by `python -m tests.stubs`."""

from pbwire.compat.wire_formats import *
