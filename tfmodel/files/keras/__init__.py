"""Model files of Keras: .keras archives, and HDF5 files (.h5) of models and of weights.

    hdf5.py      read HDF5 with h5py, which is optional: no links to other files, nothing larger than the file explains
    archive.py   the members of a .keras archive, within limits
    config.py    the architecture: layers with their classes
    naming.py    names and roles of weights, from their places in the file
    file.py      `KerasFile`: the file with its architecture, versions and weights

The package imports `files`, `values`, `messages`, `errors` and NumPy. `source` calls it for weights, reports for
summaries, checks and comparisons. No code of Keras is needed, and no code of a model is run.
"""
