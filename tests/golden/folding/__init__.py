"""Golden answers of fold_constants, by the C++ tool and TensorFlow."""
