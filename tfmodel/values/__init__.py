"""Values: names, dtypes, shapes and tensors, and the limits and forms in which they are written.

    names.py            the grammar of references: how nodes name their inputs
    dtypes/             the types of tensors, and how NumPy holds them
    shape.py            partially known shapes
    tensor_header.py    the dtype, shape and size of a TensorProto, without its values
    tensors.py          TensorProtos to arrays and back; needs NumPy
    formatting.py       short texts of dtypes, shapes, tensors and attributes
    elements.py         compare the elements of two arrays; needs NumPy
    quantization.py     quantized values and the floats that they stand for; needs NumPy
    sizes.py            sizes in bytes, as users write them
    output_limit.py     limit what is written by what was read
    steps.py            the steps of long work, with the share that is done
    report.py           the base class of reports
    terminal.py         text that is safe to print, and aligned columns

The package imports messages, errors and pbwire; every package above it calls it.
"""
