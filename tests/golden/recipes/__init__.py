"""Golden files: the effect of each recipe on whole models, measured in TensorFlow and on NumPy."""
