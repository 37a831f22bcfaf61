"""Golden files: TensorFlow's conversions between TensorProto and NumPy."""
