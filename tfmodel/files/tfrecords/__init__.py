"""TFRecord files, and the graphs in event files of TensorBoard, which are such files.

    records.py        `read_records` and `write_records`
    sources.py        the bytes of such files, compressed or not
    event_graphs.py   the graphs in event files

The package imports `files.access`; `files`, `records` and users of the library call it.
"""
