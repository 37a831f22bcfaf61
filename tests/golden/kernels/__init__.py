"""Golden answers of TensorFlow's kernels, one archive for each family of tests/kernel_cases."""
