"""Tests of tfmodel.export.onnx.recurrent."""
