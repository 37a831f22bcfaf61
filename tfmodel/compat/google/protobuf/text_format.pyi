"""Written by `python -m tests.stubs`."""

from pbwire.compat.text_format import *
