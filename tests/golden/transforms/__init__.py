"""Golden files: results of the C++ Graph Transform Tool, and TensorFlow's values where tfmodel differs."""
