"""Results of TensorFlow's own Python helpers, which tfmodel.compat has too."""
