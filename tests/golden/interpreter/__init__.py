"""Golden files: programs with state, loops, conditionals and functions, with TensorFlow's results."""
