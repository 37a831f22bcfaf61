"""Golden answers of TensorFlow on the output shapes of single ops."""
