"""Golden files: fold_constants: results of the C++ tool, and TensorFlow's values where tfmodel differs."""
