"""Golden files: node orders of the C++ tool; loops and conditionals as TensorFlow knows them."""
