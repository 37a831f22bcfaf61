"""Golden runs of whole models in TensorFlow."""
