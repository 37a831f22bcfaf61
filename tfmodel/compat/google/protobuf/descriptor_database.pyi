"""Written by `python -m tests.stubs`."""

from pbwire.compat.databases import *
