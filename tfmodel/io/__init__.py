"""Files: finding, recognizing, loading and saving models, and writing arrays.

    files.py        `load` and `save`
    model_file.py   read a file into memory, unpack it, and detect its format
    decoding.py     decode the message of a file, or the message inside it
    formats.py      the formats (binary, text, JSON) with their file names, and the message types of files
    detection/      detect the format and the message type of a file by its content
    locate.py       find the file to read, given a SavedModel's folder, a checkpoint's prefix, or a file
    special_files.py    open the files that users name: devices and dangling links are not read, pipes once
    stand_ins.py    pointers of Git LFS, pages and empty files in place of files
    gzip.py         decompress within a limit
    array_files.py  .npz, .npy and .safetensors
    records.py      TFRecord files: `read_records` and `write_records`
    record_sources.py   the bytes of such files, compressed or not
    event_graphs.py the graphs in event files of TensorBoard
    tfjs_reader.py  read TensorFlow.js models, model.json with files beside it
    tfjs_weights.py the weights of such models: the manifest and the files
    tfjs_fused.py   replace ops that TensorFlow.js alone has
    crc32c.py       the checksum of checkpoints and records

The package imports `values`, messages, errors and pbwire. `tfmodel.load` and `tfmodel.save` are functions
of `files.py`. Every package that opens or writes a file calls this one.
"""
