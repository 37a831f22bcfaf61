"""The nodes that `dump` prints: chosen by --node and --op, as a table, as text, as JSON, or fields of each.

A `NodeView` says where the nodes of a message are, and how they are printed: TensorFlow's here, those of ONNX in
`onnx_nodes`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from itertools import groupby
from typing import Any, TypeAlias

import pbwire
from pbwire.message import Message

from ..files.detection import class_in_words
from ..messages import GraphDef, OpList
from ..ops import registry
from ..reports.field_paths import Body, Selected, bodies, json_object_lines, quote, select, select_in_each, value_json
from ..reports.tree import node_lines
from ..values.terminal import escape
from .field_output import write_lines, write_text
from .messages import RequestError

Chosen: TypeAlias = "tuple[Body, int, Any]"


@dataclass(frozen=True)
class NodeView:
    """The nodes of a message.

    bodies    the lists of nodes; None for a message without nodes
    name      returns the name of a node, and `op` its op
    graph     returns a message of a list of nodes, as which they are printed
    lines     returns the lines of a table of nodes
    tree      returns the lines of the whole message; None if `reports.tree` does
    """

    bodies: Iterator[Body] | None
    name: Callable[[Any], str]
    op: Callable[[Any], str]
    graph: Callable[[list[Any]], Message]
    lines: Callable[..., Iterator[str]]
    tree: Callable[..., Iterator[str]] | None = None


def tensorflow_view(message: Message, op_defs: Iterable[OpList]) -> NodeView:
    """Return the nodes of a message of TensorFlow; a FunctionDef has no library of functions."""
    found = bodies(message)
    has_library = found is not None and message.__table__.full_name != "tensorflow.FunctionDef"
    ops = cache(lambda: registry(message if has_library else None, op_defs=op_defs))
    return NodeView(
        found,
        lambda node: str(node.name),
        lambda node: str(node.op),
        lambda nodes: GraphDef(node=nodes),
        lambda nodes, **options: node_lines(nodes, ops=ops(), **options),
    )


def choose_nodes(view: NodeView, message: Message, args: Any, name: str) -> Iterator[Chosen]:
    """Yield the nodes that --node and --op choose, each as (graph or function, index of the node, node).

    Raises RequestError, after the last node, if no node matches one of the globs.
    """
    if view.bodies is None:
        what = class_in_words(type(message))
        raise RequestError(f"this is {what}, which has no nodes: --node and --op do not apply", file=name)
    has_name, has_op = _any_of(args.node), _any_of(args.op)
    seen = matches = 0
    unmatched = {("node", glob): _any_of([glob]) for glob in args.node}
    unmatched |= {("op", glob): _any_of([glob]) for glob in args.op}
    for body in view.bodies:
        for index, node in enumerate(body.nodes):
            seen += 1
            names = {"node": view.name(node), "op": view.op(node)}
            if has_name(names["node"]) and has_op(names["op"]):
                matches += 1
                for option, glob in list(unmatched):
                    if unmatched[option, glob](names[option]):
                        del unmatched[option, glob]
                yield body, index, node
    nodes = "1 node" if seen == 1 else f"{seen:,} nodes"
    if not matches:
        options = [f"--{option} {' '.join(globs)}" for option, globs in (("node", args.node), ("op", args.op)) if globs]
        raise RequestError(f"none of {nodes} matches {' and '.join(options)}", file=name)
    if unmatched:
        option, glob = next(iter(unmatched))
        raise RequestError(f"none of the nodes printed matches --{option} {glob}", file=name)


def _any_of(globs: list[str]) -> Callable[[str], object]:
    """Return a test for names that match one of the globs, or any name if there are none. `*` also matches slashes."""
    return re.compile("|".join(map(translate, globs))).match if globs else lambda name: True


def print_nodes(chosen: Iterator[Chosen], view: NodeView, args: Any) -> None:
    """Print nodes, as a table or as the text of a graph, under the name of their function."""
    is_first = True
    for body, group in groupby(chosen, key=lambda pair: pair[0]):
        nodes = (node for _, _, node in group)
        title = escape(body.title)
        if args.format == "tree":
            write_lines(["", title] if title and not is_first else [title] if title else [])
            write_lines(view.lines(nodes, full=args.full, heading=is_first, indent=2 if title else 0))
        else:
            write_lines([f"# {title}"] if title else [])
            for node in nodes:
                write_text(view.graph([node]), args)
        is_first = False


def print_json(
    message: Message,
    chosen: Iterator[Chosen] | None,
    view: NodeView,
    selected: Iterator[Selected] | None,
    types: Any,
    *,
    is_one: bool,
) -> None:
    """Print one JSON document: the selected fields, or a graph of the chosen nodes, or the whole message."""
    if selected is not None:
        values = (value_json(value, types) for value in selected)
        sys.stdout.writelines(values if is_one else json_object_lines(selected, types))
    else:
        whole = message if chosen is None else view.graph([node for _, _, node in chosen])
        pbwire.json.dump(whole, sys.stdout, types=types)
    sys.stdout.write("\n")


def select_fields(message: Message, chosen: Iterator[Chosen] | None, view: NodeView, path: str) -> Iterator[Selected]:
    """Return the values that --field selects in the message, or in each of the nodes that have the field."""
    return select(message, path) if chosen is None else select_in_each(_with_paths(chosen, view), path)


def _with_paths(chosen: Iterator[Chosen], view: NodeView) -> Iterator[tuple[str, Any]]:
    """Yield nodes with their paths. In the path of a node whose name occurred before, its index stands for the name."""
    names: set[tuple[str, str]] = set()
    for body, index, node in chosen:
        is_known = not node.name or (body.path, node.name) in names
        key = str(index) if is_known else quote(node.name)
        names.add((body.path, node.name))
        yield f"{body.path}[{key}]", node
