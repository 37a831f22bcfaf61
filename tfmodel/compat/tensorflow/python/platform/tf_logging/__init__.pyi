"""Written by `python -m tests.stubs`."""

from .....tensorflow.logging import *
