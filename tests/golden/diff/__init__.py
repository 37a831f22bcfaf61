"""Golden answers of TensorFlow on the equality of graphs."""
