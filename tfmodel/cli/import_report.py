"""Say whether TensorFlow imports the graph that a command writes; the status of the command depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbwire.arguments import DONE, NO

from ..messages import GraphDef, MetaGraphDef, OpList, SavedModel
from ..ops import registry
from ..values.terminal import escape
from .messages import RequestError, warn
from .output_options import target_name

_ADVICE = "--op-defs FILE declares ops"


def import_status(
    graphs: Iterable[GraphDef],
    target: str,
    *,
    file: str,
    op_defs: Sequence[str | OpList] = (),
    declared: OpList | None = None,
    has_option: bool = True,
    written: bool = False,
) -> int:
    """Return DONE if TensorFlow imports the graphs that are written to `target`, else print why not and return NO.

    file         the model that they were made from
    op_defs      declarations of ops, by the user
    declared     the ops that the model itself declares: a warning names those of libraries
    has_option   whether the command has --op-defs
    written      whether the graphs are written all the same, since the command copies what it reads

    Raises RequestError, so that nothing is written, unless the reason is an op that a library may define, or `written`.
    """
    from ..transforms.framework.mending import import_verdict

    status, own = DONE, {op.name for op in declared.op} if declared is not None else set()
    sources = [*op_defs, *([declared] if declared is not None else [])]
    for graph in graphs:
        ops = registry(graph, op_defs=sources)
        verdict = import_verdict(graph, ops)
        used = sorted(own.intersection(node.op for node in graph.node)) if own else []
        if used and not op_defs:
            warn(f"{file}: TensorFlow needs the library that defines {escape(', '.join(used))}")
        if verdict.problem and not written:
            raise RequestError(f"nothing is written, since TensorFlow refuses the graph: {verdict}", file=file)
        for problem in filter(None, (str(verdict), verdict.describe_undeclared)):
            advice = f" ({_ADVICE})" if problem == verdict.describe_undeclared and has_option else ""
            warn(f"{target_name(target)}: TensorFlow refuses it: {problem}{advice}", "warning")
            status = NO
    return status


def graphs_of(message: object) -> list[GraphDef]:
    """Return the graphs in a message that a file may hold; none in other messages."""
    if isinstance(message, GraphDef):
        return [message]
    metas = message.meta_graphs if isinstance(message, SavedModel) else [message]
    return [meta.graph_def for meta in metas if isinstance(meta, MetaGraphDef) and meta.graph_def is not None]
