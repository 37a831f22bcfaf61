"""Read TensorFlow.js models: model.json with files beside it.

    reader.py     the graph of a model.json
    weights.py    its weights: the manifest and the files
    fused.py      replace ops that TensorFlow.js alone has

The package imports `files.access` and `values`; `files.decoding` calls it. `tfmodel.export.tfjs` writes such models.
"""
