"""Golden files: weights that TensorFlow dequantizes."""
