"""Tests of tfmodel.analysis.variables."""
