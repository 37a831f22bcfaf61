"""How nodes refer to each other: the one grammar for it.

    n          output 0 of node n
    n:2        output 2 of node n
    ^n         no tensor: n only has to run before
    n:out:0    in the body of a function: the first tensor of what the op of n calls "out"
    n:out      in the body of a function: all of that

In the body of a function, the bare name may be that of an argument.
"""

from __future__ import annotations

from typing import NamedTuple

from .errors import GraphError
from .printable import printable

__all__ = ["CONTROL", "TensorName"]

CONTROL = -1
"""The port of a control input."""


class TensorName(NamedTuple):
    """What one input of a node refers to. `port` is CONTROL for a control input.

    `output` is empty in a graph. In the body of a function it is the name of an output of the op, and `port` counts
    from that one's first tensor.
    """

    node: str
    port: int = 0
    output: str = ""

    @classmethod
    def parse(cls, text: str) -> TensorName:
        """The reference that a string spells. Raises GraphError if it spells none."""
        node, colon, rest = text.partition(":")
        if not colon:
            if node[:1] != "^":
                if node:
                    return cls(node)
            elif len(node) > 1:
                return cls(node[1:], CONTROL)
        elif node and node[0] != "^":
            output, colon, port = rest.rpartition(":")
            if not colon and _is_identifier(port):
                output, port = port, "0"
            if _is_number(port) and (not output or _is_identifier(output)) and (output or not colon):
                return cls(node, int(port), output)
        raise GraphError(f'"{printable(text)}" is no reference to a node or a tensor')

    @property
    def is_control(self) -> bool:
        return self.port == CONTROL

    def __str__(self) -> str:
        """The shortest spelling: output 0 is the node's bare name."""
        if self.port == CONTROL:
            return f"^{self.node}"
        if self.output:
            return f"{self.node}:{self.output}:{self.port}"
        return f"{self.node}:{self.port}" if self.port else self.node


def _is_identifier(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _is_number(text: str) -> bool:
    """Ports are small; a number of a thousand digits is an attack on those who read it."""
    return text.isascii() and text.isdecimal() and len(text) < 10
