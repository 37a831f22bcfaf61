"""Write models for TensorFlow.js: a folder with model.json and the files of the weights.

    save_tfjs("saved_model/", "web_model", quantize={"uint8": "*"})

    writer.py          `save_tfjs`: freeze, split off the constants, write the folder
    weights.py         constants as weights of the manifest: their types, quantization, bytes
    supported_ops.py   the ops that TensorFlow.js can run

`tfmodel.files.tfjs.reader` reads such folders. The package imports the optimizer, which freezes and prunes, and all
that is below it. `tfmodel.save_tfjs`, `Model` and the command `convert` call it.
"""

from __future__ import annotations

from .writer import SavedTfjs, save_tfjs

__all__ = ["SavedTfjs", "save_tfjs"]
