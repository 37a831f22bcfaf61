"""Written by `python -m tests.stubs`."""

from pbwire.compat.unknown_fields import *
