"""Reads, inspects and edits TensorFlow model files, without TensorFlow and without protobuf."""
