"""The helpers of TensorFlow that need no runtime, with its names and its results.

    dtypes.py          element types
    tensor_shape.py    partially known shapes
    tensor_util.py     arrays to TensorProtos and back
    text.py            bytes and str
    errors.py          the exceptions of gfile
    gfile.py           local files
    records.py         TFRecord files and event files
    eager.py           tensors that hold an array
    datasets.py        loops over the records of TFRecord files
    summaries.py       write event files
    checkpoints.py     read checkpoints, and write their state
    inspect_checkpoint.py   print checkpoints
    graph_util.py      parts of graphs
    strip_unused.py    graphs between given inputs and outputs
    saved_model.py     SavedModel files, and their constants
    behavior.py        switches between both versions of TensorFlow
    program.py         logging, and calling `main`
    flags.py           flags of the command line
    freezing.py        freezing of graphs, and the Graph Transform Tool

They import messages, tensors, checkpoints and freezing; only `tfmodel.compat.tree` uses them.
"""
