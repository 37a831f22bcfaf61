"""Golden files: output shapes of single ops, as TensorFlow infers them."""
