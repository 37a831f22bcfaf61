"""Tests of tfmodel.files.tfjs."""
