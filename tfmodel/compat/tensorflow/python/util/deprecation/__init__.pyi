"""Written by `python -m tests.stubs`."""

from .....tensorflow.python.util.tf_export import *
