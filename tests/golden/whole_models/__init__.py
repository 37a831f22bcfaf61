"""Golden files: runs of whole models in TensorFlow."""
