"""Converters from TensorFlow's ops to ONNX's operators, by group.

    wiring.py                     inputs, constants, nodes that pass values on
    elementwise.py                arithmetic, comparisons, logic, activations
    gradients.py                  gradients
    reductions.py                 sums, means, extrema, positions, cumulative sums
    matrices.py                   matrix products, biases, diagonals and bands
    shapes.py                     shapes, sizes, reshaping, filling, ranges
    slicing.py                    slices, splitting, joining, padding, reversal
    gathering.py                  gathering, scattering, selection of elements, one-hot, sorting, sets, segments
    ctc.py                        the greedy decoder of CTC
    sparse.py                     sparse tensors, segments of rows
    tables.py                     lookup tables
    text.py                       computed text, all of which is refused
    random.py                     random numbers
    convolutions.py               convolutions, pools
    transposed_convolutions.py    transposed convolutions
    blocks.py                     blocks of images in channels or batches
    patches.py                    patches, rolled tensors, pools with places
    norms.py                      normalization
    resizing.py                   images of other sizes, crops
    detection.py                  boxes that do not overlap
    quantization.py               fake quantization
    signal.py                     Fourier transforms, spectra
    lists.py                      lists of tensors

A converter imports the modules of `export.onnx` and packages below; `registry` imports all of them by name when the
first op is looked up, and `conversion` calls them.
"""
