"""Tests of tfmodel.compat. Results of TensorFlow itself are in tables beside the tests."""
