"""The parts of the transforms that quantize: `round_weights`, `quantize_weights` and `quantize_nodes`.

    weights.py          change the elements of float constants block by block
    layers.py           the table of quantized ops; replace float layers by them
    shape_checks.py     check whether quantized layers support the shapes of their inputs
    requantization.py   make conversion nodes; rewrite fake quantization and redundant conversions between layers

The package may import the same packages as transforms; the three transforms and `sparsify_gather` use it.
"""
