"""The flags of TensorFlow 2.12.1's tools, as their sources declare them, and the commands that replace the tools.

freeze_graph, strip_unused, optimize_for_inference and inspect_checkpoint are in `tensorflow/python/tools`, and so is
saved_model_cli; transform_graph and summarize_graph are in `tensorflow/tools/graph_transforms`.
"""

from __future__ import annotations

__all__ = ["TOOLS"]


def _flags(text: str) -> dict[str, str]:
    """Return the types of flags by name: "bool", or "" for flags with a value."""
    pairs = (word.partition(":") for word in text.split())
    return {name: kind for name, _, kind in pairs}


# tool: command, flags
TOOLS = {
    "freeze_graph": (
        "freeze",
        _flags(
            "input_graph input_saver input_checkpoint checkpoint_version output_graph input_binary:bool "
            "output_node_names restore_op_name filename_tensor_name clear_devices:bool initializer_nodes "
            "variable_names_whitelist variable_names_denylist input_meta_graph input_saved_model_dir saved_model_tags"
        ),
    ),
    "strip_unused": (
        "extract",
        _flags(
            "input_graph input_binary:bool output_graph output_binary:bool input_node_names output_node_names "
            "placeholder_type_enum"
        ),
    ),
    "optimize_for_inference": (
        "optimize",
        _flags("input output frozen_graph:bool input_names output_names placeholder_type_enum toco_compatible:bool"),
    ),
    "inspect_checkpoint": (
        "checkpoint",
        _flags("file_name tensor_name count_exclude_pattern all_tensors:bool all_tensor_names:bool printoptions"),
    ),
    "saved_model_cli show": ("summarize", _flags("dir all:bool tag_set signature_def list_ops:bool")),
    "transform_graph": ("transform", _flags("in_graph out_graph inputs outputs transforms output_as_text:bool")),
    "summarize_graph": ("summarize", _flags("in_graph print_structure:bool")),
}
