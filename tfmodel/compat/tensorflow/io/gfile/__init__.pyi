"""Written by `python -m tests.stubs`."""

from ....tensorflow.gfile import *
