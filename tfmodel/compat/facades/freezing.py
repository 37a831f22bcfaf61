"""Freezing and transforming graphs: `freeze_graph.freeze_graph`, and `TransformGraph` of the Graph Transform Tool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tfmodel
from pbwire.compat import wrap
from pbwire.errors import Error

from ..refusals import MissingName
from . import gfile
from .errors import invalid_argument
from .saved_model import get_meta_graph_def, parse_graph, parse_meta_graph

__all__ = ["TransformGraph", "freeze_graph", "freeze_graph_with_def_protos"]

_MODULE = "tensorflow.python.tools.freeze_graph"


def freeze_graph(
    input_graph: str | None,
    input_saver: str | None,
    input_binary: bool,
    input_checkpoint: str | None,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: str | None,
    clear_devices: bool,
    initializer_nodes: str | None,
    variable_names_whitelist: str | None = "",
    variable_names_denylist: str | None = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: Any = None,
) -> Any:
    """Freeze a graph, the graph of a .meta file, or a SavedModel, and return the new graph, as a GraphDef.

    `output_graph` is the file that is written, or "". Names are separated by commas. `input_saver`, `restore_op_name`,
    `filename_tensor_name` and `checkpoint_version` are not needed: the values are read without a session, and only
    those of variables that the outputs need. A name in the lists that no variable has is refused, where TensorFlow
    freezes other variables than the caller meant.

    Raises ValueError for a wrong request and for a model that cannot be frozen, MissingName for `initializer_nodes`,
    which need a session, RuntimeError for tags that the SavedModel lacks, and OSError.
    """
    graph = meta = None
    if input_saved_model_dir:
        meta = get_meta_graph_def(input_saved_model_dir, saved_model_tags)
    elif input_graph:
        graph = parse_graph(input_graph, input_binary)
    if input_meta_graph and not input_saved_model_dir:
        meta = parse_meta_graph(input_meta_graph, input_binary)
    return freeze_graph_with_def_protos(
        graph,
        None,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_denylist,
        meta,
        input_saved_model_dir,
        saved_model_tags.split(","),
        checkpoint_version,
    )


def freeze_graph_with_def_protos(
    input_graph_def: Any,
    input_saver_def: Any,
    input_checkpoint: str | None,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: str | None,
    clear_devices: bool,
    initializer_nodes: str | None,
    variable_names_whitelist: str | None = "",
    variable_names_denylist: str | None = "",
    input_meta_graph_def: Any = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: Iterable[str] | None = None,
    checkpoint_version: Any = None,
) -> Any:
    """Freeze messages, as `freeze_graph` freezes files. The values of a SavedModel are those in its folder."""
    if initializer_nodes:
        raise MissingName(f"{_MODULE}.freeze_graph(initializer_nodes=)")
    if not input_saved_model_dir and not (input_checkpoint and _exists(input_checkpoint)):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' does not exist!")
    if not output_node_names:
        raise ValueError("You must supply the name of a node to --output_node_names.")
    options: dict[str, Any] = {"checkpoint": input_checkpoint}
    model = input_meta_graph_def if input_meta_graph_def is not None else input_graph_def
    if input_saved_model_dir:
        model, options = input_saved_model_dir, {"tags": list(saved_model_tags or ["serve"])}
    try:
        frozen = tfmodel.freeze(
            model,
            _names(output_node_names),
            allowlist=_names(variable_names_whitelist) or None,
            denylist=_names(variable_names_denylist) or None,
            clear_devices=bool(clear_devices),
            **options,
        )
    except Error as error:
        raise ValueError(str(error)) from error
    graph = wrap(frozen)
    if output_graph:
        gfile.atomic_write_string_to_file(output_graph, graph.SerializeToString(deterministic=True))
    return graph


def _exists(prefix: str) -> bool:
    """Return whether there is a checkpoint, of either version."""
    return gfile.Exists(f"{prefix}.index") or gfile.Exists(prefix) or bool(gfile.Glob(f"{prefix}-?????-of-?????"))


def _names(text: str | None) -> list[str]:
    """Return names that are separated by commas."""
    return [name for name in (text or "").replace(" ", "").split(",") if name]


def TransformGraph(
    input_graph_def: Any, inputs: Iterable[str], outputs: Iterable[str], transforms: Iterable[str]
) -> Any:
    """Return the graph that a list of transforms makes, as a GraphDef: see `tfmodel.transform`.

    Raises InvalidArgumentError for a transform that does not exist and for one that refuses the graph.
    """
    try:
        return wrap(tfmodel.TransformGraph(input_graph_def, inputs, outputs, transforms))
    except Error as error:
        raise invalid_argument(str(error)) from error
