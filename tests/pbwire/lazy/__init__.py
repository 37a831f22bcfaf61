"""Tests of `pbwire.lazy`."""
