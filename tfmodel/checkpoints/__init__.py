"""Checkpoints: the values of variables, stored separately from the graph.

TensorFlow has two formats. Version 2, a "bundle", is a small table of names (`P.index`) and files with the raw bytes of
the tensors (`P.data-00000-of-00001`). Version 1 is a single file, a table that also holds the tensors.

    checkpoint.py     the mapping from names to arrays, and the check of a whole checkpoint
    locate.py         the files of a checkpoint, from any path that refers to it
    v2.py             version 2
    v1.py             version 1
    object_graph.py   the names of objects and attributes in a TF2 checkpoint
    writing.py        a writer, of version 2

and below these

    entries.py        dtype, shape and location of a tensor, from the index
    data_files.py     memory-mapped data files
    arrays.py         bytes and V1 values to arrays; assembly of tensors from slices
    strings.py        strings and variants in data files
    slice_key.py      the keys of tensors that are stored in slices
    index.py          the messages in a table, for display
    table_file.py     reader and writer of tables: sorted keys and values in checksummed blocks
    snappy.py         decompression of blocks
    problems.py       errors about damage

Names are imported from the modules, or from `tfmodel`.
"""
