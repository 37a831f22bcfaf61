"""Tests of tfmodel.drawing."""
