"""Checkpoints: the values of variables, kept beside a graph.

TensorFlow has written two formats. Version 2, a "bundle", is a small table of names (`P.index`) beside the raw bytes
of the tensors (`P.data-00000-of-00001`). Version 1 is one file, a table that holds the tensors too.

    table_file.py   the table that carries both: sorted keys and values in checksummed blocks
    snappy.py       the compression that some blocks use
    crc32c.py       the checksum of blocks and tensors
    slice_key.py    the keys of tensors that are stored in parts
    index.py        what a table says: the tensors of a checkpoint, their types, shapes and places
"""
