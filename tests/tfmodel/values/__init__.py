"""Tests of tfmodel.values."""
