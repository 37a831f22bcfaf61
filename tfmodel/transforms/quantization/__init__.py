"""The parts of the transforms that quantize: `round_weights`, `quantize_weights` and `quantize_nodes`.

    weights.py          change the elements of float constants block by block
    layers.py           the table of quantized ops, and replacing layers by them
    shape_checks.py     whether quantized layers can take tensors of some shapes
    requantization.py   new nodes that convert; fake quantization and redundant conversions between quantized layers

It may import what transforms may import; the three transforms and `sparsify_gather` use it.
"""
