"""Open the files that users name, and read them within limits.

    forms.py            the formats of messages, and the suffixes of file names that stand for them
    special_files.py    open files: devices and dangling links are not read, pipes once
    open_files.py       files that what detects their format hands to their reader
    stand_ins.py        pointers of Git LFS, pages and empty files in place of files
    gzip.py             decompress within a limit
    crc32c.py           the checksum of checkpoints and records
    crc32c_words.py     the same with NumPy, for long inputs and for many

The package imports `values` and errors; all readers of `tfmodel.files` call it, and so do commands for the files that
their options name.
"""
