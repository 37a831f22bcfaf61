"""Tests of `pbwire.codec`."""
