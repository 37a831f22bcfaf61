"""Golden MetaGraphs that TensorFlow made."""
