"""Write the folder of a SavedModel.

    saved_model.pb                                  the MetaGraphs
    variables/variables.index, variables.data-...   the values of variables, if there are any
    assets/                                         files that the graph reads
    assets.extra/, debug/, keras_metadata.pb        of a SavedModel that was opened

The folder appears when it is complete.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pbwire.atomic import new_folder, replacing_together
from pbwire.codec.buffers import encode_message

from ...errors import GraphError, ModelError, with_name
from ...files.access.special_files import no_file, open_regular
from ...files.checkpoints.writing import write_checkpoint
from ...files.decoding import Tags
from ...graph.error_text import list_names, quote
from ...messages import MetaGraphDef, SavedModel
from ...ops.definitions import Declarations
from ...source.assets import pointer_notes
from ...source.metagraph.initializers import add_initializer
from ...source.model_source import CheckpointSource, Given, ModelSource, names_of
from ...source.signature_defs import INTERNAL_SIGNATURES
from ...values.terminal import escape
from .assets import GivenAssets, add_assets, given_assets, stored_assets
from .meta_graph import GivenSignatures, add_declarations, fit_collections, fit_objects, new_meta_graph, set_signatures
from .variables import VariableFiles, add_variables

FILE = "saved_model.pb"
_FINGERPRINT = "fingerprint.pb"
_KERAS = "keras_metadata.pb"
_FOLDERS = ("assets.extra", "debug")  # copied as a whole
_OWN = (FILE, "saved_model.pbtxt", "variables", "assets")  # written anew
_MAX_BYTES = (1 << 31) - 1
_BLOCK = 1 << 20


@dataclass(slots=True)
class SavedModelFiles:
    """The content of the folder of a SavedModel.

    data        the bytes of saved_model.pb, in pieces
    message     the SavedModel
    variables   the files of the variables; None without variables
    assets      the paths of the assets, by their names in the folder "assets"
    others      the paths of other files, by their names in the folder
    notes       lines about what was inferred, added and left out
    """

    message: SavedModel
    data: list[bytes | memoryview]
    variables: VariableFiles | None = None
    assets: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def describe(self) -> str:
        """Return a line that says what the folder contains."""
        lines = []
        for meta in self.message.meta_graphs:
            tags = meta.meta_info_def.tags if meta.meta_info_def is not None else []
            names = sorted(name for name in meta.signature_def if not name.startswith(INTERNAL_SIGNATURES))
            what = f"signatures {list_names(names)}" if len(names) != 1 else f"signature {quote(names[0])}"
            lines.append(f"tags {escape(','.join(tags)) or 'none'}, {what if names else 'no signatures'}")
        variables = "variables" if self.variables is not None else "no variables"
        assets = "1 asset" if len(self.assets) == 1 else f"{len(self.assets):,} assets"
        return "; ".join([*lines, f"{variables}, {assets}"])

    def write(self, folder: str) -> None:
        """Write the folder, which must not exist or be empty. Raises OSError, CheckpointError and ValueError."""
        with new_folder(folder) as temporary:
            if self.variables is not None:
                os.mkdir(os.path.join(temporary, "variables"))
                if not self.variables.copies:
                    prefix = os.path.join(temporary, "variables", "variables")
                    write_checkpoint(prefix, self.variables.tensors, dtypes=self.variables.dtypes)
            copies = self.variables.copies if self.variables is not None else {}
            with replacing_together() as replace:
                files = {os.path.join("variables", f"variables{suffix}"): path for suffix, path in copies.items()}
                files |= {os.path.join("assets", name): path for name, path in self.assets.items()} | self.others
                for name, path in files.items():
                    target = os.path.join(temporary, name)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with open_regular(path) as source:
                        shutil.copyfileobj(source, replace(target), _BLOCK)
                replace(os.path.join(temporary, FILE)).writelines(self.data)


def save_saved_model(
    model: Given,
    folder: str | os.PathLike[str],
    *,
    signatures: GivenSignatures | None = None,
    tags: Tags = None,
    assets: GivenAssets = (),
    checkpoint: CheckpointSource = None,
    op_defs: Declarations | Iterable[Declarations] = (),
    deterministic: bool = False,
) -> list[str]:
    """Write a model as the folder of a SavedModel, which TensorFlow loads and serves.

    model           whatever `tfmodel.Model` takes: a path, a message, a Model
    folder          a new or empty folder. It appears when it is complete
    signatures      by name: a SignatureDef, or `{"inputs": {"x": "x:0"}, "outputs": {"y": "layer/Relu"}}`, or None for
                    the model's own signature, or the name of another one of its signatures. A SavedModel without
                    signatures has one for each function, such as "__call__". Default: those of the model, or else the
                    likely inputs and outputs as "serving_default"
    tags            of a SavedModel: the MetaGraph to write (default: all of them); of another model: the tags of the
                    result (default: those of its MetaGraph, or "serve")
    assets          files that the graph reads and that are not assets of the model yet: a mapping from names of the
                    constants with their paths to files, or files that have the same name as in these paths
    checkpoint      where the values of variables come from, if not from the checkpoint beside the model
    op_defs         declarations of ops of your own: OpLists, or files of them
    deterministic   write equal bytes for equal messages

    A SavedModel that was opened is written without a loss: the files of its variables, its assets, objects, and Keras
    metadata are copied. Returns lines about what was inferred, and what was left out because it does not fit the model
    any more.

    Raises ModelError for a part that is missing, such as the values of variables or the file of an asset; GraphError
    for tensors that do not exist, and for an asset outside of the folder of assets; CheckpointError for values that do
    not fit; FileFormatError for files that cannot be read, and OSError, also if the folder exists and is not empty.
    """
    source = ModelSource.of(model, checkpoint=checkpoint)
    if tags is not None and source.is_saved_model:
        source = ModelSource.of(source, tags=tags)
    files = saved_model_files(
        source, signatures=signatures, tags=tags, assets=assets, op_defs=op_defs, deterministic=deterministic
    )
    files.write(os.fspath(folder))
    return files.notes


def saved_model_files(
    source: ModelSource,
    *,
    signatures: GivenSignatures | None = None,
    tags: Tags = None,
    assets: GivenAssets = (),
    op_defs: Declarations | Iterable[Declarations] = (),
    deterministic: bool = False,
) -> SavedModelFiles:
    """Return the content of the folder that `save_saved_model` writes, which says what the arguments mean."""
    notes: list[str] = []
    called = source.with_functions() if signatures is not None else source
    has_function_signatures, source = called is not source, called
    meta = new_meta_graph(source, None if source.is_saved_model or tags is None else names_of(tags))
    with source.naming():
        set_signatures(source, meta, signatures, notes)
        given = given_assets(source.graph, assets)
        if has_function_signatures:  # TensorFlow 2 would look for signatures in the objects, which have none
            meta.object_graph_def = None
            notes.append("left out the objects of TensorFlow 2, which loads the signatures without them")
        has_objects = fit_objects(source, meta, notes)
        fit_collections(meta, notes)
        asset_files = add_assets(source, meta, given, keep_all=has_objects)
        add_initializer(source, meta, has_objects=has_objects)
        variables = add_variables(source, meta, notes, has_objects=has_objects)
        if not source.is_saved_model or meta.graph_def is not source.graph or op_defs:
            add_declarations(meta, op_defs)
        message, others = _saved_model(source, meta)
        for other in others:
            asset_files |= stored_assets(other, source.folder)
    data = list(encode_message(message, deterministic).pieces())
    size = sum(map(len, data))
    if size > _MAX_BYTES:
        raise ModelError(f"the graph has {size:,} bytes, and TensorFlow reads files of up to {_MAX_BYTES:,}")
    is_same = not deterministic and _is_same(message, size, source)
    if is_same and source.file is not None:
        data = [source.file.data[:]]  # maps in the order of the file, for which fingerprint.pb has a checksum
    files = SavedModelFiles(message, data, variables, asset_files, notes=notes)
    _add_other_files(files, source, has_objects=has_objects, is_same=is_same)
    notes += pointer_notes([*files.assets.values(), *files.others.values()])
    return files


def _saved_model(source: ModelSource, meta: MetaGraphDef) -> tuple[SavedModel, list[MetaGraphDef]]:
    """Return the SavedModel to write, and its other MetaGraphs, which stay as they are."""
    if not source.is_saved_model:
        return SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), []
    message = source.saved_model()
    others = [] if source.has_given_tags else [other for other in message.meta_graphs if other is not source.meta]
    message.meta_graphs = [
        meta if other is source.meta else other
        for other in message.meta_graphs
        if other is source.meta or not source.has_given_tags
    ]
    return message, others


def _is_same(message: SavedModel, size: int, source: ModelSource) -> bool:
    """Return whether a message of `size` bytes equals the SavedModel in the binary file that was opened."""
    file = source.file
    if file is None or not source.is_saved_model or file.detection.form != "binary" or size != len(file.data):
        return False
    return SavedModel.from_bytes(file.data, lazy=True) == message


# --- other files -----------------------------------------------------------------------------------------------------


def _add_other_files(files: SavedModelFiles, source: ModelSource, *, has_objects: bool, is_same: bool) -> None:
    """Add the files of an opened SavedModel that still fit, and notes on the others."""
    if not source.folder or source.file is None or os.path.basename(source.file.path) not in _OWN:
        return  # a file of another name, which may be among any files
    left_out: list[str] = []
    for name in sorted(os.listdir(source.folder)):
        path = os.path.join(source.folder, name)
        is_copied = (
            (name == _KERAS and has_objects)
            or (name == _FINGERPRINT and is_same and source.given_checkpoint is None)
            or (name in _FOLDERS and source.is_saved_model and os.path.isdir(path))
        )
        if is_copied:
            files.others |= {inside: _regular(source.folder, inside) for inside in _files_in(source.folder, name)}
        elif name == _FINGERPRINT:
            files.notes.append(f"left out {_FINGERPRINT}: it identifies the old files")
        elif name not in _OWN:
            left_out.append(name)
    if left_out:
        files.notes.append(f"left out what is not known to fit: {list_names(left_out)}")


def _files_in(folder: str, name: str) -> list[str]:
    """Return the file `name` of a folder, or the files inside if it is a folder, as paths in the folder."""
    if not os.path.isdir(os.path.join(folder, name)):
        return [name]
    return [
        os.path.relpath(os.path.join(parent, file), folder)
        for parent, _, names in os.walk(os.path.join(folder, name))
        for file in sorted(names)
    ]


def _regular(folder: str, name: str) -> str:
    """Return the path of a file in a folder. Raises GraphError for a link to the outside, and for a pipe or device."""
    path = os.path.join(folder, name)
    if what := no_file(path):
        raise GraphError(with_name(escape(path), f"this is not a file but {what}"))
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise GraphError(f"{quote(path)} is a link to a file outside of the model's folder")
    return path
