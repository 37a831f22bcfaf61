"""Training graphs with batch norms, and what their layers compute with the moving averages of the training."""
