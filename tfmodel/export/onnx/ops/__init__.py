"""Converters from TensorFlow's ops to ONNX's operators, by group.

    wiring.py                     inputs, constants, nodes that pass values on
    elementwise.py                arithmetic, comparisons, logic, activations
    gradients.py                  gradients
    reductions.py                 sums, means, extrema, positions, cumulative sums
    products.py                   matrix products, biases
    diagonals.py                  diagonals and bands of matrices
    shapes.py                     shapes, sizes, reshaping, filling, ranges
    slicing.py                    slices, splitting, joining, padding, reversal
    gathering.py                  gathering, scattering, selection of elements, one-hot, sorting, segments
    counting.py                   counts, sets of numbers, cumulative products, the greedy CTC decoder
    sparse.py                     sparse tensors, segments of rows
    tables.py                     lookup tables
    text.py                       text, all of which is refused
    random.py                     random numbers
    convolutions.py               convolutions
    transposed_convolutions.py    transposed convolutions
    pooling.py                    pools, local response normalization
    blocks.py                     blocks of images in channels or batches
    patches.py                    patches, rolled tensors, pools with places, other data formats
    norms.py                      normalization
    resizing.py                   images of other sizes, crops
    detection.py                  boxes that do not overlap
    quantization.py               fake quantization
    signal.py                     Fourier transforms, spectra
    lists.py                      lists of tensors

A converter imports the modules of `export.onnx` and packages below; `registry` imports all of them by name when the
first op is looked up, and `conversion` calls them.
"""
