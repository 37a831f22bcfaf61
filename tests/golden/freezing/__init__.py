"""Golden models to freeze, with what TensorFlow computes and freezes."""
