"""Golden files: transforms that quantize weights and layers: results of the C++ tool, and distances in TensorFlow."""
