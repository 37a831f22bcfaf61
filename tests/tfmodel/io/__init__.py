"""Tests of tfmodel.io."""
