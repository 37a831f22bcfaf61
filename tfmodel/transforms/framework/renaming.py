"""Leading the inputs of nodes elsewhere: the counterpart of RenameNodeInputs.

    rename_inputs(graph.node, {"old:*": "new"})

A rename says which references are meant, and what takes their place:

    n:*  -> m       every reference to n, whatever its port, and control inputs: those keep their ^ and their port
    n    -> m:1     what stands for output 0 of n, which is n:0 too
    n:1  -> m       output 1 of n; in the body of a function, n:out:0
    ^n   -> ^m      control inputs

What comes of a rename is renamed again, so {"a": "b", "b": "c"} makes c of a. If there is one for all of a node (n:*)
and one for an output of it, the first counts. Unlike in the original, renames of one node may lead from one of its
outputs to another: only what comes back to itself is a cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ...errors import GraphError, TransformError
from ...graph import changed
from ...messages import NodeDef
from ...names import TensorName
from ...printable import printable

__all__ = ["rename_inputs"]

_ALL = ":*"


def rename_inputs(
    nodes: Iterable[NodeDef], renames: Mapping[str, str], *, ignore: Collection[str] = ()
) -> list[NodeDef]:
    """The nodes with other inputs. Their own names stay, and so do the inputs of nodes whose names are in `ignore`.

    Nodes whose inputs stay are shared. Raises TransformError if an input comes back to itself, and for a rename of all
    references to a node that does not lead to a node.
    """
    resolved = _Resolved(renames)
    result = []
    for node in nodes:
        inputs = node.input
        if inputs and not (ignore and node.name in ignore):
            new = [resolved[text] for text in inputs]
            if new != inputs:
                node = changed(node, input=new)
        result.append(node)
    return result


class _Resolved(dict[str, str]):
    """What references come to. Each spelling is looked at once."""

    def __init__(self, renames: Mapping[str, str]) -> None:
        super().__init__()
        self._whole: dict[str, str] = {}
        self._exact: dict[TensorName, str] = {}
        for source, target in renames.items():
            if not source.endswith(_ALL):
                self._exact[TensorName.parse(source)] = target
            elif not target or target[0] == "^" or ":" in target:
                raise TransformError(f'"{printable(source)}" must become a node, not "{printable(target)}"')
            else:
                self._whole[source.removeprefix("^").removesuffix(_ALL)] = target

    def __missing__(self, text: str) -> str:
        way = [text]
        passed = {text}
        while (target := self._step(way[-1])) is not None:
            if target in passed:
                raise TransformError(f'the renames of "{printable(text)}" come back to "{printable(target)}"')
            way.append(target)
            passed.add(target)
            if target in self:
                break
        end = self.get(way[-1], way[-1])
        self.update(dict.fromkeys(way, end))
        return end

    def _step(self, text: str) -> str | None:
        """What one rename makes of a reference; None if there is none for it."""
        mark = "^" if text[:1] == "^" else ""
        name, colon, port = text[len(mark) :].partition(":")
        if name in self._whole:
            return f"{mark}{self._whole[name]}{colon}{port}"
        if not self._exact:
            return None
        try:
            return self._exact.get(TensorName.parse(text))
        except GraphError:
            return None  # it is no reference, which is for others to say
