"""Golden files: transforms that fold batch norms: results of the C++ tool, and TensorFlow's values before and after."""
