"""Written by `python -m tests.stubs`."""

from pbwire.compat.field_masks import FieldMask as FieldMask
