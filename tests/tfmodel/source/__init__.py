"""Tests of tfmodel.source."""
