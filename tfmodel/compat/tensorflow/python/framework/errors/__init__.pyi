"""Written by `python -m tests.stubs`."""

from .....tensorflow.errors import *
