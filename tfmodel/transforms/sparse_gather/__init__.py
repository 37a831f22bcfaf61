"""What `sparsify_gather` is made of: `lookups` finds tables in a graph, `leaving` takes out what they leave unused."""
