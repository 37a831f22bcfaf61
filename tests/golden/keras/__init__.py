"""Golden files: files that Keras wrote, with the weights that they have."""
