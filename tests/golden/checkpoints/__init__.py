"""Golden files: checkpoints that TensorFlow wrote, with the tensors that it reads in them."""
