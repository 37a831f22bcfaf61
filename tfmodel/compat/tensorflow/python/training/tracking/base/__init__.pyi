"""Written by `python -m tests.stubs`."""

from ......tensorflow.python.trackable.base import *
