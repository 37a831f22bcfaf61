"""Golden answers of the weight-quantizing transforms, by the C++ tool and TensorFlow."""
