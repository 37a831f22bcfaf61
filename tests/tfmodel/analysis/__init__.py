"""Tests of tfmodel.analysis."""
