"""Written by `python -m tests.stubs`."""

from ...tensorflow.python.framework.graph_util import *
