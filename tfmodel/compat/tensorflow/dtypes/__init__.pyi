"""Written by `python -m tests.stubs`."""

from ...tensorflow.python.framework.dtypes import *
