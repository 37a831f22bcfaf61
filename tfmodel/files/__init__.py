"""Files: finding, recognizing, loading and saving models, and writing arrays.

    files.py        `load` and `save`
    model_file.py   `open_file`: open a file once, detect its format, read and unpack it
    decoding.py     decode the message of a file, or the message inside it
    model_search.py `find_models`: the models in a folder, by content
    locate.py       find the file to read, given a SavedModel's folder, a checkpoint's prefix, or a file
    array_files.py  .npz, .npy and .safetensors
    access/         open what users name, once and safely; decompress within a limit; checksums
    detection/      the formats of files, and which one a file has, by its content
    tfrecords/      TFRecord files, and the graphs in event files
    tfjs/           read TensorFlow.js models
    checkpoints/    read checkpoints of both versions, and write version 2
    records/        the events of TensorBoard and the examples in TFRecord files
    keras/          files of Keras

The package imports `values`, messages, errors and pbwire. `tfmodel.load` and `tfmodel.save` are functions of
`files.py`. Every package that opens or writes a file calls this one.
"""
