"""`check`: all checks of a model, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...analysis.facts import Facts
from ...files.access.special_files import describe_missing
from ...files.decoding import Tags
from ...graph import GraphIndex
from ...graph.error_text import quote
from ...graph.functions import with_function_names
from ...ops.definitions import Declarations, registry
from ...source.missing_weights import unknown_constants
from ...source.model_source import CheckpointSource, Given, ModelSource
from .entry_points import Reach, entry_points
from .keras import code_in_config, keras_code
from .kinds import LEVELS, is_among, parse_kinds
from .metagraph import metagraph_faults
from .report import CheckReport, Finding
from .safety import side_effects
from .structure import constants_without_values, declaration_faults, graph_faults, shape_faults, version_faults
from .tables import table_findings
from .values import checkpoint_faults

if TYPE_CHECKING:
    from ...files.keras.file import KerasFile


def check(
    model: Given,
    *,
    checkpoint: CheckpointSource = None,
    tags: Tags = None,
    op_defs: Declarations | Iterable[Declarations] = (),
    read_values: bool = False,
    ignore: str | Iterable[str] = (),
    reading: Callable[[str], object] | None = None,
) -> CheckReport:
    """Check whether a model is sound and safe, and return the findings. Nothing of the model is run.

    Sound: the structure, names and types of the graph and its functions; ops that TensorFlow does not have, or has
    removed in the graph's version; attributes that are missing, or that an op does not allow; constants; contradicting
    shapes; signatures, savers, collections, assets and objects that name what does not exist; and tensors that the
    checkpoint lacks or has in another type or shape.

    Safe: ops that call Python or native code, write, read or list files, open connections, change settings, end the
    process, and loops that never end, each with the signatures that run it. Reading an asset of the model, and saving
    and restoring a checkpoint whose name the caller feeds, are not reported, if the name is passed on unchanged. The
    table of such ops is in `tfmodel.ops.traits`; an op that it does not list computes only. An op that neither
    TensorFlow nor `op_defs` declares is broken, whatever the model says of it. All MetaGraphs of a SavedModel are
    checked, unless `tags` select one.

    Of a Keras file (.h5, .keras) and of the metadata of Keras in a SavedModel, objects are reported that run code,
    import modules, or read files; a Keras file has no graph.

    `model` is a path (a graph in any form, a .meta, a SavedModel), "-", bytes, a GraphDef, MetaGraphDef, SavedModel or
    Model. `checkpoint` has the values of variables, if they are not beside the model.
    `op_defs` declare custom ops: OpLists, or files of them. With `read_values`, all values of the checkpoint are read
    and compared with their checksums; `reading` is called with each name. Findings of the kinds in `ignore` are left
    out and only counted: "note", "unsafe/read", or several. The names are those of levels and of `KINDS`, with the
    level in front.

    Raises ValueError for a kind that does not exist; the errors of `load`, and ModelError for a checkpoint that the
    model does not need, and for values to read that it does not have.
    """
    ignored = parse_kinds(ignore)
    source = ModelSource.of(model, checkpoint=checkpoint, tags=tags)
    reading = reading or (lambda name: None)
    if source.keras is not None:
        findings, parts = _check_keras(source.keras, read_values=read_values, reading=reading)
    else:
        findings, parts = _check_graph(source, op_defs, read_values=read_values, reading=reading)
        for other in source.other_meta_graphs():
            findings += _other_graph(source, other, op_defs)
    findings = list(dict.fromkeys(sorted(findings, key=lambda finding: LEVELS.index(finding.level))))
    kept = [finding for finding in findings if not is_among(finding.level, finding.kind, ignored)]
    return CheckReport(source.name, tuple(kept), parts, len(findings) - len(kept))


def _check_graph(
    source: ModelSource,
    op_defs: Declarations | Iterable[Declarations],
    *,
    read_values: bool = False,
    reading: Callable[[str], object] = lambda name: None,
) -> tuple[list[Finding], tuple[str, ...]]:
    """Return the findings about one graph and its MetaGraph, and what was checked."""
    findings: list[Finding] = []
    with source.naming():
        graph = with_function_names(source.graph)
        if graph is not source.graph:
            findings.append(Finding("note", "name", "a function of the library has no name"))
            source = source.with_graph(graph)
        facts = Facts(source, op_defs=op_defs) if op_defs else Facts.of(source)
        bodies = {"": facts.index, **{name: facts.index.body(name) for name in facts.functions}}
        findings += [
            *graph_faults(facts),
            *version_faults(graph),
            *declaration_faults(source, bodies, registry(graph, op_defs=op_defs)),
            *constants_without_values(bodies),
            *shape_faults(facts.shapes),
            *metagraph_faults(source, facts),
            *checkpoint_faults(source, read_values=read_values, reading=reading),
            *side_effects(source, bodies, Reach(bodies[""], entry_points(source))),
            *keras_code(source),
            *table_findings(source),
        ]
    unknown = unknown_constants(source)
    if unknown:
        findings = [one for one in findings if one.level != "broken" or (one.function, one.node) not in unknown]
    if source.missing:
        findings.append(Finding("note", "weights", f"{describe_missing(source.missing)}: values were not checked"))
    return findings, tuple(_parts(source, bodies))


def _check_keras(
    file: KerasFile, *, read_values: bool, reading: Callable[[str], object]
) -> tuple[list[Finding], tuple[str, ...]]:
    """Check the architecture of a Keras file for Python code and, with `read_values`, that all weights are readable."""
    findings = list(code_in_config(file))
    parts = ["the architecture"] if file.model is not None else []
    if read_values:
        for name in file.weights:
            reading(name)
            file.weights[name]
        parts.append(f"{len(file.weights):,} weights")
    return findings, tuple(parts)


def _other_graph(
    source: ModelSource, other: ModelSource, op_defs: Declarations | Iterable[Declarations]
) -> Iterator[Finding]:
    """Yield the findings about another MetaGraph, or a note if the caller chose one by its tags."""
    tags = list(other.meta.meta_info_def.tags) if other.meta is not None and other.meta.meta_info_def else []
    name = f"the MetaGraph with the tags {', '.join(map(quote, sorted(tags))) or 'none'}"
    if source.has_given_tags:
        yield Finding("note", "tags", f"{name} was not checked")
        return
    for finding in _check_graph(other, op_defs)[0]:
        yield replace(finding, message=f"{name}: {finding.message}")


def _parts(source: ModelSource, bodies: dict[str, GraphIndex]) -> Iterator[str]:
    """Yield what was checked."""
    counts = {"node": len(bodies[""]), "function": len(bodies) - 1}
    if source.meta is not None:
        counts["signature"] = len(source.meta.signature_def)
    for what, count in counts.items():
        if count or what == "node":
            yield f"{count:,} {what}{'' if count == 1 else 's'}"
