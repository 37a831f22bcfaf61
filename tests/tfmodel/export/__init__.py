"""Tests of tfmodel.export."""
