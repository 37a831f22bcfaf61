"""Golden files: dtypes of ports, and FLOPs, as TensorFlow determines them."""
