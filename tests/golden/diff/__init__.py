"""Golden files: TensorFlow's verdicts on the equality of graphs."""
