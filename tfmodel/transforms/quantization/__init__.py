"""What the transforms that quantize are made of: see `round_weights`, `quantize_weights` and `quantize_nodes`."""
