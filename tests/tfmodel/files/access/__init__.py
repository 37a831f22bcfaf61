"""Tests of tfmodel.files.access."""
