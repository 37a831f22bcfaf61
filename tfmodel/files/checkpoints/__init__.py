"""Checkpoints: the values of variables, stored separately from the graph.

TensorFlow has two formats. With the prefix P, version 2, a "bundle", is a small table of names (`P.index`) and files
with the raw bytes of the tensors (`P.data-00000-of-00001`). Version 1 is one table that also holds the tensors (`P`),
or several (`P-00000-of-00003`).

    checkpoint.py     the mapping from names to arrays, and the check of a whole checkpoint
    renamed.py        a checkpoint with other names for its tensors
    locate.py         the files of a checkpoint, from any path that refers to it
    v2.py             version 2: its index and the values of its tensors
    data_files.py     the data files of version 2, mapped into memory
    strings.py        strings and variants in version 2, whose elements have variable sizes
    v1.py             version 1
    writing.py        a writer for version 2

These modules use:

    entries.py        dtype, shape and location of a tensor, from the index; errors about damage
    arrays.py         bytes and V1 values to arrays; checks and intersections of slices
    slices.py         assembly of tensors from slices
    index.py          the messages in a table, for display; keys of tensors that are stored in slices; the object graph
                      of a TF2 checkpoint, with the names of objects and attributes
    table_file.py     reader and writer of tables: sorted keys and values in blocks, which may be compressed

The package imports `files`, `values` and `messages`. `source`, `analysis`, reports and `cli` call it. NumPy is imported
only when values are read or written.
"""
