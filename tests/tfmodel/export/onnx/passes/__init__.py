"""Tests of the export to ONNX."""
