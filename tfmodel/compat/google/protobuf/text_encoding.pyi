"""Written by `python -m tests.stubs`."""

from pbwire.compat.text_tokens import CEscape as CEscape, CUnescape as CUnescape
