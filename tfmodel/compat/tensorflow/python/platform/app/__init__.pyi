"""Written by `python -m tests.stubs`."""

from .....tensorflow.app import *
