"""As what a constant or a variable is used: what the op calls its input, or what that means where the op is general.

A bias may be added by any addition, and a batch norm may be spelled out in ops that add and multiply:

    y = x * m + (beta - moving_mean * m)        m = rsqrt(moving_variance + epsilon) * gamma
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import GraphError
from ..messages import NodeDef
from ..ops.ports import input_types
from .constants import Shape
from .roles import LAYERS, Standing, role_in, standing
from .wiring import Body, End, Wiring

if TYPE_CHECKING:
    from ..messages import OpDef

__all__ = ["Use", "Uses"]

_ADDS = ("Add", "AddV2")
_MOST_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Use:
    """That a node has something as an input.

    node      its name, and `function` that of the function it is in, if it is
    role      as what: "filter", "bias", "axis"; empty if that is not known
    through   the ops in between that gave it another shape or put it together with others: a role is that of the whole
    in_loop   whether it is used again and again
    """

    node: str
    op: str
    role: str
    function: str = ""
    in_loop: bool = False
    through: tuple[str, ...] = ()
    standing: Standing = Standing.OTHER


class Uses:
    """Finds out, for a graph. `ops` are the declarations of its ops: they name inputs too."""

    def __init__(self, wiring: Wiring, ops: Mapping[str, OpDef]) -> None:
        self._wiring = wiring
        self._ops = ops
        self._counts: dict[int, int] = {}  # of tensors that a node takes, by its id: one may take all that there are

    def of(self, body: Body, name: str, shape: Shape | None) -> tuple[Use, ...]:
        """Who uses a constant or variable, the use that tells most first."""
        uses: dict[Use, None] = {}
        for end in self._wiring.ends(body, name):
            use = self._use(end, shape)
            if use.through and use.standing is not Standing.WEIGHT:
                continue  # the op that changed the shape tells more
            uses[use] = None
            if len(uses) == _MOST_KEPT:
                break
        return tuple(sorted(uses, key=lambda use: (use.standing, len(use.through))))

    def _use(self, end: End, shape: Shape | None) -> Use:
        node = end.node
        role = self._role(end)
        rank = sum(size != 1 for size in shape) if shape is not None else -1
        role = _meant(end, role, rank, len(shape) if shape is not None else -1) or role
        found = standing(node.op, role, f"{end.body.name}/{node.name}")
        return Use(node.name, node.op, role, end.body.name, end.in_loop, end.through, found)

    def _role(self, end: End) -> str:
        node = end.node
        count = self._counts.get(id(node))
        if count is None:
            count = self._counts[id(node)] = sum(1 for _ in _inputs(node))
        fused: tuple[str, ...] = ()
        if "fused_ops" in node.attr and node.attr["fused_ops"].list is not None:
            fused = tuple(each.decode("utf-8", "replace") for each in node.attr["fused_ops"].list.s)
        role = role_in(node.op, end.index, count, fused)
        return self._declared_role(node, end.index) if role is None else role

    def _declared_role(self, node: NodeDef, index: int) -> str:
        declared = self._ops.get(node.op)
        if declared is None:
            return ""
        try:
            name, _ = input_types(node, declared).place(index)
        except GraphError:  # a node that does not fit its op is no matter here
            return ""
        return name.replace("_", " ")


def _meant(end: End, role: str, rank: int, dimensions: int) -> str:
    """What a general role means here; empty if it means nothing else. `rank` counts dimensions that are not 1."""
    op = end.node.op
    if role == "embedding" and dimensions < 2:
        return "table"
    if role == "counter" and dimensions > 0:
        return "sum"
    if role != "operand" or rank > 1:
        return ""
    if op in _ADDS:
        return _of_addition(end, rank)
    if op == "Mul":
        return _of_product(end, rank)
    other = _other(end)
    if op == "Sub" and end.index == 0 and other is not None and other.op == "Mul" and rank == 1:
        return "beta" if any(_is_scale(end.body, text) for text in _two(other)) else ""
    return ""


def _of_addition(end: End, rank: int) -> str:
    if any(user.node.op == "Rsqrt" for user in end.body.users(end.node.name)):
        return "moving variance" if rank == 1 else "epsilon"
    other = _other(end)
    if other is None or rank != 1:
        return ""
    if other.op in LAYERS or (other.op == "Mul" and any(_is_layer(end.body, text) for text in _two(other))):
        return "bias"
    return ""


def _of_product(end: End, rank: int) -> str:
    other = _other(end)
    if other is None or rank != 1:
        return ""
    if other.op in LAYERS:
        return "scale"
    if not _is_scale(end.body, end.node.input[1 - end.index]):
        return ""
    if any(user.node.op == "Neg" or (user.node.op == "Sub" and user.at == 1) for user in end.body.users(end.node.name)):
        return "moving mean"
    return "gamma" if other.op == "Rsqrt" else ""


def _other(end: End) -> NodeDef | None:
    """Where the other operand of an op on two comes from."""
    inputs = list(islice(_inputs(end.node), 3))
    return end.body.origin(inputs[1 - end.index]) if len(inputs) == 2 and end.index < 2 else None


def _inputs(node: NodeDef) -> Iterator[str]:
    return (text for text in node.input if text[:1] != "^")


def _two(node: NodeDef) -> Iterator[str]:
    """The operands of an op on two, whatever else it is given."""
    return islice(_inputs(node), 2)


def _is_layer(body: Body, text: str) -> bool:
    origin = body.origin(text)
    return origin is not None and origin.op in LAYERS


def _is_scale(body: Body, text: str) -> bool:
    """Whether this is rsqrt(variance), or that times gamma."""
    origin = body.origin(text)
    if origin is not None and origin.op == "Mul":
        return any((factor := body.origin(each)) is not None and factor.op == "Rsqrt" for each in _two(origin))
    return origin is not None and origin.op == "Rsqrt"
