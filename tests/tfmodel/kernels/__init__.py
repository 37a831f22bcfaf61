"""Tests of tfmodel.kernels."""
