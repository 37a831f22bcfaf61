"""The side effects of a model: what its ops do with files, connections and the process that runs it.

The table of `ops.traits` says what each op does. Where the path comes from decides: an asset of the model may be read,
and a saver may write and read the checkpoint whose name the caller feeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from pbwire.errors import Error

from ...graph import GraphIndex, describe
from ...graph.error_text import list_names, quote
from ...messages import NodeDef, OpDef
from ...names import data_inputs, node_name
from ...ops.traits import CHECKPOINT_OPS, LOOP_COND, SIDE_EFFECTS, UNCHANGED, WHILE_LOOPS, SideEffect
from ...source import ModelSource
from .entry_points import LOADING, SAVING, Reach
from .path_origins import Origins, PathOrigins
from .report import Finding, Level

__all__ = ["side_effects"]

MAX_SHOWN = 3
"""The maximum number of constants that a message shows."""

MAX_CHAIN = 100
"""The maximum number of nodes that are followed from a loop to the constant that is its condition."""

_EFFECTS: Mapping[str, tuple[Level, str]] = {
    "python": ("unsafe", "calls a Python function of the program that runs it"),
    "library": ("unsafe", "calls native code"),
    "write": ("unsafe", "writes"),
    "read": ("unsafe", "reads"),
    "list": ("unsafe", "lists the files that match"),
    "network": ("unsafe", "connects to"),
    "exit": ("unsafe", "ends the process"),
    "settings": ("unsafe", "changes settings of the process for the file system"),
    "endless": ("unsafe", "is a loop whose condition is always true"),
    "print": ("note", "prints"),
    "wait": ("note", "may wait without end"),
    "program": ("note", "runs a compiled program, which is not checked"),
    "graph": ("unsafe", "runs a graph that it gets as a string, and that is not checked"),
}
"""The level of each kind of side effect, and the beginning of the sentence about it."""

_OBJECTS = {"write": "files", "read": "files", "list": "", "network": "other programs"}
_STREAMS = ("stdout", "stderr", "log(info)", "log(warning)", "log(error)")
_GRPC = "grpc://"
_DEFAULT_CHECKPOINT = "model"
"""The prefix of checkpoints in the graphs of TensorFlow 1, where the caller feeds another one."""


def side_effects(
    source: ModelSource, bodies: Mapping[str, GraphIndex], ops: Mapping[str, OpDef], reach: Reach
) -> Iterator[Finding]:
    """Yield a finding for each side effect of a node. `bodies` are the graph, as "", and the functions by name."""
    origins = PathOrigins(source, bodies, ops)
    for function, body in bodies.items():
        for position, node in enumerate(body.nodes):
            by = reach.of(function, position)
            for kind, what in _effects(function, node, origins, by):
                level, _ = _EFFECTS[kind]
                yield Finding(level, kind, f"{describe(node)} {what}", node.name, function, by)
            if _is_endless(node, body, bodies):
                level, what = _EFFECTS["endless"]
                yield Finding(level, "endless", f"{describe(node)} {what}", node.name, function, by)


def _effects(function: str, node: NodeDef, paths: PathOrigins, by: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the kinds of the side effects of a node, each with a sentence."""
    for effect in SIDE_EFFECTS.get(node.op, ()):
        origins = paths.of(function, node, effect.name) if effect.name else None
        kind = _kind(effect, origins)
        if not kind or (origins is not None and _is_expected(node, kind, origins, by)):
            continue
        _, what = _EFFECTS[kind]
        named = kind in _OBJECTS or kind in ("library", "print")
        yield kind, f"{what} {_objects(kind, origins)}".rstrip() if named else what


def _kind(effect: SideEffect, origins: Origins | None) -> str:
    """Return the kind of a side effect, which may depend on the path; "" if there is none."""
    texts = origins.constants if origins is not None else []
    text = texts[0] if texts else ""
    match effect.name:
        case "debug_urls":
            return "network" if any(url.startswith(_GRPC) for url in texts) else "write" if any(texts) else ""
        case "output_stream":
            return "print" if text in ("", *_STREAMS) else "write"
        case "descriptor_source":
            return "read" if text and not text.startswith(("local://", "bytes://")) else ""
        case "vocab_file":
            return "read" if text else ""
    return "" if origins is not None and origins.is_empty_string else effect.kind


def _is_expected(node: NodeDef, kind: str, origins: Origins, by: tuple[str, ...]) -> bool:
    """Return whether models need a side effect: reading an asset, or saving and loading a checkpoint that is fed."""
    if kind == "read" and origins.assets and not (origins.constants or origins.fed):
        return not origins.asset_values or set(by) <= {LOADING}
    if node.op not in CHECKPOINT_OPS or not set(by) <= {LOADING, SAVING} or any(map(_is_elsewhere, origins.constants)):
        return False
    return bool(origins.fed) or _DEFAULT_CHECKPOINT in origins.constants


def _is_elsewhere(text: str) -> bool:
    """Return whether a part of the path of a checkpoint leads away from the place that the caller names."""
    parts = text.replace("\\", "/").split("/")
    return parts[0].startswith("~") or ".." in parts or "://" in text or (text.startswith("/") and len(parts) > 2)


def _objects(kind: str, origins: Origins | None) -> str:
    """Return the files or addresses of a side effect, as far as they are known."""
    if kind == "print":
        return "tensors"
    others = _OBJECTS.get(kind, "")
    if origins is None or not (origins.constants or origins.fed or origins.assets):
        return others
    texts = [text for text in (*origins.constants, *origins.asset_values) if text]
    texts = [text for text in texts if kind == "network" and text.startswith(_GRPC)] or texts
    constants = list_names(texts, MAX_SHOWN)
    names = ", ".join(quote(name) for name in dict.fromkeys(origins.fed))
    parts = [f"the constants {constants}"] * bool(constants) + [f"the input {names}"] * bool(names)
    if origins.is_computed:
        return f"{others} whose names are made of {' and '.join(parts or ['assets'])}".strip()
    return f"{others} that {' and '.join(parts)} name{'s' * (len(parts) == 1)}".strip() if names else constants


# --- loops -----------------------------------------------------------------------------------------------------------


def _is_endless(node: NodeDef, body: GraphIndex, bodies: Mapping[str, GraphIndex]) -> bool:
    """Return whether a node is a loop whose condition is the constant true."""
    if node.op in LOOP_COND:
        texts = data_inputs(node)
        return bool(texts) and _is_true(texts[0], body)
    if node.op not in WHILE_LOOPS:
        return False
    with suppress(Error):  # a fault of its own
        call = body.functions.call(node)
        name = call.names[0] if call is not None else ""
        function = body.functions.get(name)
        results = list(function.ret.values()) if function is not None else []
        return len(results) == 1 and name in bodies and _is_true(results[0], bodies[name])
    return False


def _is_true(text: str, body: GraphIndex) -> bool:
    """Return whether a reference is the constant true, perhaps passed on by nodes that do not change it."""
    for _ in range(MAX_CHAIN):
        node = body.get(node_name(text))
        if node is None:
            return False
        if node.op in UNCHANGED and data_inputs(node):
            text = data_inputs(node)[0]
            continue
        tensor = node.attr["value"].tensor if node.op == "Const" and "value" in node.attr else None
        return tensor is not None and (tensor.bool_val == [True] or tensor.tensor_content == b"\1")
    return False
