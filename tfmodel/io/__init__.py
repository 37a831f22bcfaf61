"""Files: finding, recognizing, loading and saving models, and writing arrays.

    files.py        `load` and `save`; files that may be compressed, of any format
    formats.py      the formats (binary, text, JSON) with their file names, and the message types of files
    detection/      tell the format and the message type of a file from its content
    locate.py       the file that a path means: a SavedModel's folder, a checkpoint's prefix, a pipe
    atomic.py       write files so that a reader sees the old or the new one, never a part
    gzip.py         decompress within a limit
    npz.py, safetensors.py          files of arrays
    crc32c.py                       the checksum of checkpoints
    terminal.py     text that is safe to print, and aligned columns

It imports messages, dtypes and pbwire, and nothing above them; `tfmodel.load` and `tfmodel.save` lead here, and every
package that opens or writes a file calls it.
"""
