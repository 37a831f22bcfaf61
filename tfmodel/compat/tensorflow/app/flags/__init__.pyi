"""Written by `python -m tests.stubs`."""

from ....tensorflow.flags import *
