"""Written by `python -m tests.stubs`."""

from .....tensorflow.compat import *
