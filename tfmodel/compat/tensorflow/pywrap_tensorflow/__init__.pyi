"""Written by `python -m tests.stubs`."""

from ...tensorflow.python.pywrap_tensorflow import *
