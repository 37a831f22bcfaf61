"""Golden programs with state, loops, conditionals and functions, run by TensorFlow."""
