"""Tests of tfmodel.compare.verify."""
