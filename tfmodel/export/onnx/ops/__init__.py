"""Converters from TensorFlow's ops to ONNX's operators, by group: see `registry`.

wiring          inputs, constants, nodes that pass values on
elementwise     arithmetic, comparisons, logic, activations
reductions      sums, means, extrema, positions, cumulative sums
products        matrix products, biases
shapes          shapes, sizes, reshaping, filling, ranges
slicing         slices, splitting, joining, padding, reversal
gathering       gathering, scattering, selection of elements, one-hot, sorting
convolutions    convolutions and their transposes
pooling         pools
norms           normalization
"""
