"""Models in the forms of other programs: SavedModel folders and TensorFlow.js.

    saved_model/    write SavedModel folders
    tfjs/           write models for TensorFlow.js

The package imports the optimizer and packages below it; `Model` and the command `convert` call it.
"""
