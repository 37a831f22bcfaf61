"""Golden files: results of TensorFlow's kernels."""
