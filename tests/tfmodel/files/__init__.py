"""Tests of tfmodel.files."""
