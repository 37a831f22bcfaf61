"""Golden answers of TensorFlow on the conversion of tensors to and from NumPy."""
