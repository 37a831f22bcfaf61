"""Written by `python -m tests.stubs`."""

from ....tensorflow.core.framework import *
