"""Golden answers of TensorFlow on ports of nodes and on FLOPs of ops."""
