"""Golden answers of TensorFlow on dequantized weights."""
