"""The parts of tfmodel that can be copied: where each begins, and what it goes without.

A part is a closed set of files: all that its roots import, except what it goes without. Only functions import that, so
a copy works without it, until such a function is called; the command line then names the part that is missing.
Several parts are copied together by their names: "dump,json".
"""

from __future__ import annotations

from dataclasses import dataclass

from pbwire.errors import suggestion

from ..values.terminal import escape

ALL = "tfmodel"
"""The part that has everything."""

_PROGRAM = ("tfmodel", "tfmodel.__main__", "tfmodel.cli.runner", "tfmodel.files.files")
_TABLES_OF_GRAPHS = ("tfmodel._schema.graph", "tfmodel._schema.saved_model", "tfmodel._schema.checkpoint_state")
_EXTRAS = ("pbwire.compat", "pbwire.proto", "tfmodel.compat", "tfmodel.drawing")
_OF_JSON = ("pbwire.__main__", "pbwire.arguments", "pbwire.colours", "pbwire.commands", "pbwire.compat", "pbwire.proto")
_OF_PBWIRE = (*_OF_JSON, "pbwire.json")
_OTHER_FILES = (
    "pbwire.extensions",
    "pbwire.json",
    "tfmodel.cli.feed_values",
    "tfmodel.cli.record_output",
    "tfmodel.cli.wire_output",
    "tfmodel.files.checkpoints",
    "tfmodel.files.keras",
    "tfmodel.files.tfjs",
    "tfmodel.files.tfrecords.event_graphs",
    "tfmodel.files.tfrecords.records",
    "tfmodel.reports.collections",
    "tfmodel.reports.wire",
)


@dataclass(frozen=True)
class Part:
    """A part: modules from which it begins, packages that it goes without, and what it is for.

    "a.b.*" is a package with all modules below. `line` is for a table, `needs_numpy` for most of what it does.
    """

    line: str
    roots: tuple[str, ...]
    without: tuple[str, ...] = ()
    needs_numpy: bool = False

    @property
    def commands(self) -> list[str]:
        """The commands of tfmodel among its roots."""
        return [
            root.rpartition(".")[2] for root in self.roots if root.startswith("tfmodel.cli.") and root not in _PROGRAM
        ]


def _program(line: str, *commands: str, roots: tuple[str, ...], without: tuple[str, ...], needs_numpy: bool) -> Part:
    """Return a part with commands."""
    modules = tuple(f"tfmodel.cli.{command}" for command in commands)
    return Part(line, (*_PROGRAM, *modules, *roots), without, needs_numpy)


PARTS = {
    "pbwire": Part(
        "your own messages: binary and text",
        ("pbwire.*",),
        _OF_PBWIRE,
    ),
    "json": Part("the same, and JSON", ("pbwire.*",), _OF_JSON),
    "schema": Part(
        "the same, and the messages of TensorFlow and ONNX",
        ("pbwire.*", "tfmodel.messages", "tfmodel.onnx_messages", "tfmodel._schema.*"),
        _OF_JSON,
    ),
    "protobuf": Part("all of pbwire: .proto files and protobuf's own API too", ("pbwire.*",)),
    "dump": _program(
        "models as text, by fields, or as an overview",
        "dump",
        roots=_TABLES_OF_GRAPHS,
        without=(
            *_EXTRAS,
            *_OTHER_FILES,
            "pbwire.atomic",
            "tfmodel.files.access.crc32c_words",
            "tfmodel.parameters",
            "tfmodel.source",
            "tfmodel.values.dtypes.conversion",
        ),
        needs_numpy=False,
    ),
    "summarize": _program(
        "inputs, outputs, ops and parameters of a model",
        "dump",
        "summarize",
        roots=_TABLES_OF_GRAPHS,
        without=(
            *_EXTRAS,
            "pbwire.extensions",
            "tfmodel.analysis.variables",
            "tfmodel.cli.feed_values",
            "tfmodel.cli.record_output",
            "tfmodel.cli.wire_output",
            "tfmodel.interpreter",
            "tfmodel.kernels",
            "tfmodel.reports.collections",
            "tfmodel.reports.wire",
        ),
        needs_numpy=False,
    ),
    "weights": _program(
        "weights and checkpoints, read and written",
        "checkpoint",
        "weights",
        roots=(*_TABLES_OF_GRAPHS, "tfmodel.files.checkpoints.*", "tfmodel.parameters.*"),
        without=(*_EXTRAS, "tfmodel.cli.feed_values", "tfmodel.interpreter", "tfmodel.kernels"),
        needs_numpy=True,
    ),
    "transforms": _program(
        "freezing, transforms, running and comparing",
        "freeze",
        "optimize",
        "run",
        "transform",
        "verify",
        roots=("tfmodel._schema.*", "tfmodel.transforms.*"),
        without=_EXTRAS,
        needs_numpy=True,
    ),
    ALL: Part("everything", ("pbwire.*", "tfmodel.*"), needs_numpy=True),
}
"""The parts by name."""

BY_NAME = {
    "pbwire": ("pbwire.codec.codegen", "pbwire.message", "pbwire.table"),
    "pbwire.codec.codegen": ("pbwire.codec.*", "pbwire.lazy.*"),
    "pbwire.json": ("pbwire.json.*",),
    "pbwire.table": ("pbwire.extensions.*",),
    "pbwire.text": ("pbwire.text.*",),
    "tfmodel": ("tfmodel.public_names",),
    "tfmodel.analysis.shape_rules.table": ("tfmodel.analysis.shape_rules.*",),
    "tfmodel.export.onnx.conversion.registry": ("tfmodel.export.onnx.ops.*",),
    "tfmodel.kernels": ("tfmodel.kernels.*",),
    "tfmodel.onnx_messages": ("tfmodel._schema.onnx.*",),
    "tfmodel.transforms.framework.registry": ("tfmodel.transforms.*",),
}
"""Modules that import others by names which they compute, and those others."""


def parse_parts(words: str) -> tuple[str, ...]:
    """Return the parts named in a text such as "pbwire,schema", in the order of `PARTS`; "all" is the last one.

    Raises ValueError for unknown names.
    """
    names = [ALL if word.strip() == "all" else word.strip() for word in words.split(",")]
    for name in names:
        if name not in PARTS:
            hint = suggestion(name, [*PARTS, "all"]) or f"; the parts are {', '.join(PARTS)} and all"
            raise ValueError(f'unknown part "{escape(name)}"{hint}')
    return (ALL,) if ALL in names else tuple(part for part in PARTS if part in names)
