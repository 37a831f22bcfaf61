"""Written by `python -m tests.stubs`."""

from ......tensorflow.python_io import *
