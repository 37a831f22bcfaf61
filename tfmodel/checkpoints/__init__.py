"""Checkpoints: the values of variables, kept beside a graph.

TensorFlow has written two formats. Version 2, a "bundle", is a small table of names (`P.index`) beside the raw bytes
of the tensors (`P.data-00000-of-00001`). Version 1 is one file, a table that holds the tensors too.

    checkpoint.py     the mapping from names to arrays that users have: parts are put together here
    places.py         which files are meant by a path; state files
    bundle.py         version 2
    saved_slices.py   version 1
    object_graph.py   the names that people know the tensors of a TF2 checkpoint by
    verification.py   everything that is wrong with a checkpoint
    writing.py        a writer, of version 2

and below these

    entries.py        what an index says of a tensor
    data_files.py     files that are mapped
    arrays.py         bytes to arrays
    strings.py        strings and variants in data files
    values.py         the values of version 1
    tiling.py         parts that have to make a whole
    slice_key.py      the keys of tensors that are stored in parts
    index.py          what a table says, as messages, for those who want to print it
    table_file.py     the table that carries both: sorted keys and values in checksummed blocks
    table_writer.py   its writer
    snappy.py         the compression that some blocks use
    crc32c.py         the checksum of blocks and tensors
    folding.py        the same for those who have NumPy at hand
    problems.py       how damage is told

Names are imported from the modules, or from `tfmodel`.
"""
