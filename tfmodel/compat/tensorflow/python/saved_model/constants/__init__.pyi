"""Written by `python -m tests.stubs`."""

from .....tensorflow.saved_model.constants import *
