"""Choose what is fed, bound and fetched: the tensors that the caller names, those of the signature, or the likely ones.

    choice = choose(source, outputs=["logits"], bind=True)
    choice.inputs, choice.outputs, choice.bound      # ["x:0"], ["logits:0"], {"keep_prob:0": 1.0}
    choice.notes()                                   # ["inputs: x, guessed: name others if that is wrong", ...]

All commands that need inputs or outputs call `choose`, so that they agree. Only reports that list all candidates with
their ranks, such as `summarize`, read `Facts.endpoints` themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pbwire.errors import DecodeError, compose

from ..errors import FileFormatError, GraphError, Hint, ModelError
from ..graph.error_text import quote
from ..messages import GraphDef, SignatureDef, TensorInfo
from ..ops.traits import PLACEHOLDERS
from ..source.bindings import default_signature, named_tensor, resolve_bindings
from ..source.model_source import ModelSource
from ..source.signature_defs import DEFAULT_SIGNATURE, only_functions, tensor_keys, tensors_of
from ..values.names import TensorName, node_name, shortest
from ..values.terminal import escape
from .endpoints import MIN_CONFIDENCE
from .endpoints.endpoints import Endpoint, Endpoints
from .facts import Facts

_MAX_SHOWN = 5  # candidates in an error


class Origin(NamedTuple):
    """Where inputs or outputs come from.

    signature    the name of the signature, if they are from one
    confidence   of likely tensors: the probability that the least certain of them is right
    """

    kind: Literal["asked", "signature", "likely"]
    signature: str = ""
    confidence: float = 1.0


_LIKELY = Origin("likely", confidence=0.0)


@dataclass(frozen=True, slots=True)
class Choice:
    """The inputs and outputs of a model, as "node:port", without repetition.

    bound            the values of tensors that become constants, by the names of the tensors
    inputs_from      where the inputs come from; `outputs_from` is the same for the outputs
    problem          why no outputs are chosen; "" unless the choice is `partial`
    signature        the signature of the model; None without one
    signature_name   its name
    training         the inputs that only training sets, with their values in a deployed model; `choose` finds them only
                     with `bind=True`
    """

    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    bound: Mapping[str, Any] = field(default_factory=dict)
    inputs_from: Origin = _LIKELY
    outputs_from: Origin = _LIKELY
    problem: str = ""
    signature: SignatureDef | None = None
    signature_name: str = DEFAULT_SIGNATURE
    training: Sequence[Endpoint] = ()

    @property
    def output_names(self) -> list[str]:
        """The outputs as users write them: "x" for "x:0"."""
        return [*map(shortest, self.outputs)]

    @property
    def nodes(self) -> set[str]:
        """The names of the nodes of the inputs and outputs."""
        return {node_name(name) for name in (*self.inputs, *self.outputs)}

    @property
    def declared(self) -> SignatureDef | None:
        """The signature, if these are exactly its inputs and outputs; else None."""
        is_exact = self.inputs_from.kind == self.outputs_from.kind == "signature"
        return self.signature if is_exact and len(self.bound) == len(self.training) else None

    @property
    def input_keys(self) -> dict[str, str]:
        """The tensors of the signature's inputs, by their keys."""
        return _keys(self.signature.inputs) if self.signature is not None else {}

    @property
    def output_keys(self) -> dict[str, str]:
        """The tensors of the signature's outputs, by their keys."""
        return _keys(self.signature.outputs) if self.signature is not None else {}

    @property
    def sides(self) -> tuple[tuple[str, list[str], Origin], ...]:
        """The words "inputs" and "outputs" with the tensors and where they come from."""
        return ("inputs", self.inputs, self.inputs_from), ("outputs", self.outputs, self.outputs_from)

    @property
    def guessed(self) -> dict[str, float]:
        """The sides that are likely ones, "inputs" or "outputs", each with the probability that all of it is right."""
        return {side: origin.confidence for side, tensors, origin in self.sides if origin.kind == "likely" and tensors}

    def describe(self, facts: Facts) -> tuple[list[Endpoint], list[Endpoint]]:
        """Return the inputs and outputs with types, shapes and reasons, as far as the ranking in `facts` has them."""
        ranked, inputs, outputs = facts.endpoints, {*self.inputs}, {*self.outputs}
        return (
            [end for end in ranked.inputs if end.tensor in inputs],
            [end for end in ranked.outputs if end.tensor in outputs],
        )

    def notes(self, others: str | Hint = Hint.NAME_OTHERS) -> list[str]:
        """Return lines about what the caller did not name: inputs and outputs, and inputs that training sets."""
        lines = []
        for side, tensors, origin in self.sides:
            if origin.kind == "signature":
                listed = escape(", ".join(map(shortest, tensors))) or "none"
                lines.append(f"{side}: {listed}, of the signature {quote(origin.signature)}")
            elif origin.kind == "likely":
                listed = escape(", ".join(map(shortest, tensors)))
                lines.append(compose(f"{side}: {listed}, ", others) if listed else f"{side}: none found")
        return [*lines, *(f"bound: {escape(end.binding)}, {end.reason}" for end in self.training)]


def choose(
    source: ModelSource,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    bind: Mapping[str, Any] | bool = False,
    partial: bool = False,
    guess: bool = False,
    likely: bool = True,
    facts: Facts | None = None,
    hint: Hint = Hint.NAME_OUTPUTS,
) -> Choice:
    """Choose the inputs and outputs of a model: the requested ones, those of the signature, or the likely ones.

    If only `outputs` are requested, and there is no signature, the inputs are the likely ones that these outputs need.

    Names are the keys of the signature, or those of tensors: see `name_of_tensor`. `bind` maps names to values, and
    these tensors are not inputs. True binds the inputs that the outputs need and only training sets, unless `inputs`
    name them.

    Raises ModelError for an unknown signature; if no outputs are requested, for several signatures of which none is
    named, for a signature without outputs, and if no output is certain enough: it lists the candidates. With `partial`,
    the choice has no outputs in the last case, and says why. Raises GraphError for unknown tensors.

    With `guess`, the likeliest outputs are taken even if they are not certain enough to write a model with them: for
    reports, and for results that are shown with the names of the outputs.

    Without `likely`, inputs and outputs that are neither requested nor those of a signature are empty, and several
    signatures of which none is named are always an error.

    `facts` are those of the model, if the caller has them. `hint` says in errors how to name outputs.
    """
    named_signature = default_signature(source) if outputs is not None and likely else source.signature()
    name, signature = named_signature or (DEFAULT_SIGNATURE, None)
    infos = (signature.inputs, signature.outputs) if signature is not None else (None, None)
    fed, inputs_from = _requested_or_declared(source, inputs, infos[0], name)
    fetched, outputs_from = _requested_or_declared(source, outputs, infos[1], name)
    if not likely:
        fed, fetched = fed or [], fetched or []
    ranked = None
    if fed is None or fetched is None or (bind is True and _has_other_inputs(source, fed)):
        ranked = _ranked(facts or Facts.of(source), fetched if outputs is not None and fetched is not None else ())
    problem = ""
    if likely and outputs is None and not fetched:
        problem = compose("the signature has no outputs: ", hint)
    if ranked is not None and fetched is None:
        fetched, outputs_from = _likely(ranked.likely_outputs)
        if outputs_from.confidence < MIN_CONFIDENCE and not guess:
            fetched = []
        problem = "" if fetched else _uncertain(ranked, hint, source.other_functions())
    if problem and not partial:
        raise ModelError(problem)
    if ranked is not None and fed is None:
        fed, inputs_from = _likely(ranked.likely_inputs)
    training = ranked.training_inputs(fed or ()) if ranked is not None and bind is True else []
    bound = resolve_bindings(source, bind) if isinstance(bind, Mapping) else {end.tensor: end.value for end in training}
    fed = _without(fed or (), bound)
    return Choice(fed, fetched or [], bound, inputs_from, outputs_from, problem, signature, name, training)


def choose_if_readable(source: ModelSource, facts: Facts | None = None, *, guess: bool = True) -> Choice:
    """Return the choice of `choose`, as far as there is one, for reports and pictures, which show damaged models too.

    It is empty for a damaged graph, and for a model with several signatures of which none is named.
    """
    try:
        return choose(source, partial=True, guess=guess, facts=facts)
    except (GraphError, ModelError) as error:
        return Choice(problem=str(error))


def fitting_signature(source: ModelSource, graph: GraphDef) -> str | None:
    """Return the only signature whose outputs are nodes without consumers in another graph, which has no signatures.

    Return None if the model has a default signature, or if not exactly one fits.
    """
    try:
        source.signature()
    except ModelError:
        assert source.meta is not None
        signatures = source.meta.signature_def
    else:
        return None
    used = {name for node in graph.node for name in map(node_name, node.input)}
    ends = {node.name for node in graph.node} - used
    fitting = [
        key
        for key, signature in signatures.items()
        if signature.outputs and {node_name(name) for name in tensors_of(signature.outputs)} <= ends
    ]
    return fitting[0] if len(fitting) == 1 else None


def tensor_of(source: ModelSource, name: str, side: Literal["inputs", "outputs"]) -> TensorName:
    """Return the tensor that a caller names, as `choose` takes it."""
    choice = choose(source, inputs=[name] * (side == "inputs"), outputs=[name] * (side == "outputs"))
    return TensorName.parse((choice.inputs or choice.outputs)[0])


def unique_tensors(source: ModelSource, names: Iterable[str], keys: Mapping[str, str]) -> list[str]:
    """Return the tensors that callers name, as "node:port" and without repetition: see `named_tensor`."""
    nodes = {node.name: node for node in source.graph.node}
    return list(dict.fromkeys(named_tensor(name, nodes, keys).numbered for name in names))


def _requested_or_declared(
    source: ModelSource, names: Sequence[str] | None, infos: Mapping[str, TensorInfo] | None, signature: str
) -> tuple[list[str] | None, Origin]:
    """Return the tensors of one side that the caller names, or else those of the signature; None without either."""
    if names is not None:
        return unique_tensors(source, names, _keys(infos or {})), Origin("asked")
    if infos is not None:
        return unique_tensors(source, tensors_of(infos), {}), Origin("signature", signature)
    return None, _LIKELY


def _keys(infos: Mapping[str, TensorInfo]) -> dict[str, str]:
    return {key: name for key, name in sorted(tensor_keys(infos).items()) if name}


def _has_other_inputs(source: ModelSource, inputs: Sequence[str]) -> bool:
    """Return whether the graph has placeholders besides the inputs. Training may feed these."""
    fed = {TensorName.parse(name).node for name in inputs}
    return any(node.op in PLACEHOLDERS and node.name not in fed for node in source.graph.node)


def _ranked(facts: Facts, outputs: Sequence[str]) -> Endpoints:
    try:
        return facts.endpoints_for(outputs)
    except FileFormatError as error:
        raise DecodeError(str(error)) from error  # `source.naming` adds the name of the file


def _likely(ends: Sequence[Endpoint]) -> tuple[list[str], Origin]:
    confidence = min((end.confidence for end in ends), default=0.0)
    return list(dict.fromkeys(end.tensor for end in ends)), Origin("likely", confidence=confidence)


def _uncertain(ends: Endpoints, hint: Hint, functions: Sequence[str]) -> str:
    """Return the error for a model without likely outputs: the candidates, and what to do.

    `functions` are those that the caller can name in place of a signature.
    """
    if functions:
        return only_functions(functions)
    listed = "; ".join(f"{quote(end.name)} ({end.confidence:.0%}: {end.reason})" for end in ends.outputs[:_MAX_SHOWN])
    if not listed:
        return compose("there is nothing that looks like an output: ", hint)
    rest = f"; candidates, the likeliest first: {listed}"
    return compose("no output is certain enough: ", hint, rest)


def _without(names: Iterable[str], bindings: Mapping[str, Any]) -> list[str]:
    """Return the names of tensors that are not bound."""
    bound = {f"{tensor.node}:{max(tensor.port, 0)}" for tensor in map(TensorName.parse, bindings)}
    return [name for name in names if name not in bound]
