"""Tests of tfmodel.compare."""
