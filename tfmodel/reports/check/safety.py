"""The side effects of a model: what its ops do with files, connections and the process that runs it.

The table of `ops.traits` says what each op does. Where the path comes from decides: an asset of the model may be read,
and a saver may write and read the checkpoint whose name the caller feeds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ...graph import GraphIndex, describe
from ...graph.error_text import list_names, quote
from ...messages import NodeDef
from ...ops import OPS
from ...ops.traits import CHECKPOINT_OPS, SIDE_EFFECTS, SideEffect
from ...source.model_source import ModelSource
from ...values.names import TensorName
from .entry_points import LOADING, SAVING, Reach
from .evaluation import Evaluator
from .foreign_ops import FOREIGN_EFFECTS
from .kinds import Level
from .loops import EndlessLoops
from .path_origins import Origins, PathOrigins
from .report import Finding

MAX_SHOWN = 3
"""The maximum number of constants that a message shows."""

_EFFECTS: Mapping[str, tuple[Level, str]] = {
    "python": ("unsafe", "calls a Python function of the program that runs it"),
    "library": ("unsafe", "calls native code"),
    "write": ("unsafe", "writes"),
    "read": ("unsafe", "reads"),
    "list": ("unsafe", "lists the files that match"),
    "network": ("unsafe", "connects to"),
    "exit": ("unsafe", "ends the process"),
    "settings": ("unsafe", "changes settings of the process for the file system"),
    "print": ("note", "prints"),
    "wait": ("note", "may wait without end"),
    "program": ("note", "runs a compiled program, which is not checked"),
    "summary": ("note", "writes to a summary writer of the program that runs it"),
    "device": ("note", "sets up or shuts down TPUs"),
    "graph": ("unsafe", "runs a graph that it gets as a string, and that is not checked"),
}
"""The level of each kind of side effect, and the beginning of the sentence about it."""

_OBJECTS = {"write": "files", "read": "files", "list": "", "network": "other programs"}
_STREAMS = ("stdout", "stderr", "log(info)", "log(warning)", "log(error)")
_GRPC = "grpc://"
_IN_MODEL = "memmapped_package://"
"""The beginning of names of constants that are in the same file as the graph."""

_DEFAULT_CHECKPOINT = "model"
"""The prefix of checkpoints in the graphs of TensorFlow 1, where the caller feeds another one."""


def side_effects(source: ModelSource, bodies: Mapping[str, GraphIndex], reach: Reach) -> Iterator[Finding]:
    """Yield a finding for each side effect of a node. `bodies` are the graph, as "", and the functions by name."""
    origins = PathOrigins(source, bodies)
    loops = EndlessLoops(Evaluator(bodies, origins.captured_variable, origins.stored_number))
    for function, body in bodies.items():
        for position, node in enumerate(body.nodes):
            by = reach.of(function, position)
            for kind, what in _effects(function, node, origins, by, reach.fed(function, position)):
                level, _ = _EFFECTS[kind]
                yield Finding(level, kind, f"{describe(node)} {what}", node.name, function, by)
            if problem := loops.problem(function, position):
                yield Finding("unsafe", "endless", f"{describe(node)} {problem}", node.name, function, by)


def _effects(
    function: str, node: NodeDef, paths: PathOrigins, by: tuple[str, ...], fed: Collection[TensorName]
) -> Iterator[tuple[str, str]]:
    """Yield the kinds of the side effects of a node, each with a sentence."""
    if node.op in FOREIGN_EFFECTS and node.op not in OPS:
        kind = FOREIGN_EFFECTS[node.op]
        yield kind, f"{_EFFECTS[kind][1]} {_OBJECTS.get(kind, '')}".rstrip()
    for effect in SIDE_EFFECTS.get(node.op, ()):
        origins = paths.of(function, node, effect.name, fed=fed) if effect.name else None
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
    is_known = origins is not None and not origins.is_computed
    match effect.name:
        case "debug_urls" | "debug_ops_spec":
            connects = any(_GRPC in url for url in texts)
            return "network" if connects else "write" if any(texts) or not is_known else ""
        case "output_stream":
            return "print" if is_known and text in ("", *_STREAMS) else "write"
        case "descriptor_source":
            return "" if is_known and (not text or text.startswith(("local://", "bytes://"))) else "read"
        case "vocab_file":
            return "" if is_known and not text else "read"
        case "memory_region_name":
            return "" if is_known and text.startswith(_IN_MODEL) else "read"
    return "" if origins is not None and origins.is_empty_string else effect.kind


def _is_expected(node: NodeDef, kind: str, origins: Origins, by: tuple[str, ...]) -> bool:
    """Return whether models need a side effect: reading an asset, or saving and loading a checkpoint that is fed."""
    if origins.is_computed or origins.is_passed or origins.stored:
        return False
    if kind == "read" and origins.assets and not (origins.constants or origins.fed):
        return not (origins.asset_values and by)  # TensorFlow puts the path of the asset in its place while it loads
    usual = {SAVING} if kind == "write" else {LOADING, SAVING}
    if node.op not in CHECKPOINT_OPS or not usual.issuperset(by) or origins.assets:
        return False
    return bool(origins.fed or origins.constants) and set(origins.constants) <= {_DEFAULT_CHECKPOINT}


def _objects(kind: str, origins: Origins | None) -> str:
    """Return the files or addresses of a side effect, as far as they are known."""
    if kind == "print":
        return "tensors"
    others = _OBJECTS.get(kind, "")
    if origins is None or not (origins.constants or origins.fed or origins.assets or origins.stored):
        return others
    texts = [text for text in (*origins.constants, *origins.asset_values) if text]
    texts = [text for text in texts if kind == "network" and text.startswith(_GRPC)] or texts
    constants = list_names(texts, MAX_SHOWN)
    names = ", ".join(quote(name) for name in dict.fromkeys(origins.fed))
    parts = [f"the constants {constants}"] * bool(constants) + [f"the input {names}"] * bool(names)
    parts += [f"the variable {list_names(origins.stored, MAX_SHOWN)}"] * bool(origins.stored)
    parts += ["assets"] * bool(origins.assets)
    if origins.is_computed:
        return f"{others} whose names are made of {' and '.join(parts)}".strip()
    return f"{others} that {' and '.join(parts)} name{'s' * (len(parts) == 1)}".strip() if names else constants
