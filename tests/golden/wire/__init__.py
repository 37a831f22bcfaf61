"""Golden facts on the declaration order of the fields of TensorFlow's messages."""
