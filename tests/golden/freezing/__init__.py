"""Golden files: models to freeze, the values that TensorFlow computes, and the graphs that it freezes."""
