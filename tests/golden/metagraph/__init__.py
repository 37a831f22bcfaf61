"""Golden files: MetaGraphs and TensorInfos that TensorFlow made."""
