"""Golden files: the order in which TensorFlow declares the fields of its messages."""
