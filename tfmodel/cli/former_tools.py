"""The flags of the tools that commands replace, so that scripts which call these tools go on working.

FLAGS has a row for each flag of a tool that its command here does not have under the same name. A flag may stand for an
argument of the command, and a flag without effect has a note, which is printed if the flag is given with a value. An
empty value, as in `--input_saver=""`, is as if the flag were left out.
"""

from __future__ import annotations

from typing import NamedTuple


class FormerFlag(NamedTuple):
    """A flag of a tool of TensorFlow.

    name       without "--"
    becomes    the name of the argument of the command that gets its value; "" for a flag without effect
    note       why the flag has no effect, or another than in the tool; "" if there is nothing to say
    is_bool    whether the flag may stand without a value
    """

    name: str
    becomes: str = ""
    note: str = ""
    is_bool: bool = False


_NO_SESSION = "values come from the checkpoint, without a session"
_TYPES = "the types of inputs are those in the graph"
_DETECTED = "formats are detected"

FLAGS: dict[str, tuple[FormerFlag, ...]] = {
    # freeze_graph
    "freeze": (
        FormerFlag("input_saver", note=_NO_SESSION),
        FormerFlag("checkpoint_version", note="the version is detected"),
        FormerFlag("restore_op_name", note=_NO_SESSION),
        FormerFlag("filename_tensor_name", note=_NO_SESSION),
        FormerFlag("initializer_nodes", note=_NO_SESSION),
    ),
    # strip_unused
    "extract": (
        FormerFlag("input_graph", "file"),
        FormerFlag("output_graph", "output"),
        FormerFlag("input_node_names", "inputs"),
        FormerFlag("output_node_names", "outputs"),
        FormerFlag("input_binary", note=_DETECTED, is_bool=True),
        FormerFlag("output_binary", note="the name of OUT chooses its format, or --output-as-text", is_bool=True),
        FormerFlag("placeholder_type_enum", note=_TYPES),
    ),
    # optimize_for_inference
    "optimize": (
        FormerFlag("input", "model"),
        FormerFlag("input_names", "inputs"),
        FormerFlag("output_names", "outputs"),
        FormerFlag("frozen_graph", note=f"{_DETECTED}, and the name of OUT chooses its format", is_bool=True),
        FormerFlag("placeholder_type_enum", note=_TYPES),
        FormerFlag("toco_compatible", note="the graph has ops of TensorFlow only", is_bool=True),
    ),
    # inspect_checkpoint
    "checkpoint": (
        FormerFlag("file_name", "checkpoint"),
        FormerFlag("tensor_name", "name", "values are not printed, but written with -o OUT"),
        FormerFlag("all_tensors", note="values are not printed, but written with -o OUT", is_bool=True),
        FormerFlag("all_tensor_names", note="all tensors are listed anyway", is_bool=True),
        FormerFlag("count_exclude_pattern", note="the last line counts all tensors"),
        FormerFlag("printoptions", note="values are not printed, but written with -o OUT"),
    ),
    # saved_model_cli show, and summarize_graph, whose flags `summarize` has itself
    "summarize": (
        FormerFlag("dir", "files"),
        FormerFlag("signature_def", note="--signatures prints all signatures"),
        FormerFlag("list_ops", note="ops are printed anyway, and all of them with --all", is_bool=True),
    ),
}
"""The flags of former tools by the command that replaces the tool. transform_graph's are those of `transform`."""
