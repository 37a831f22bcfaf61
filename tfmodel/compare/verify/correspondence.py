"""Match the inputs and outputs of two models that should compute the same.

The tensors of one model often have other names in the other: a frozen graph has no signature, `optimize` renames
outputs, `obfuscate_names` replaces all names. These rules are tried in this order, first for outputs, then for inputs:

    the signatures of both models have a tensor with the same key
    both graphs have a tensor with the same name, and types and ops that fit
    the names are related: one has a prefix ("import/x"), is the key of the other's signature ("x" for
        "serving_default_x:0"), belongs to an Identity of the other tensor, or to the result of a function
    for inputs, the outputs depend on them in the same way: both graphs are walked from the outputs, while ops are equal
    both graphs have a tensor with the same name, and it is unmatched in the second one
    no other unmatched tensor has a type and shape that fit
    unmatched tensors of one type are matched in the order of the graphs, if there are equally many

Errors list the unmatched tensors of both models.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import FeedError, Hint, ModelError, RunError
from ...graph.traversal import equal_places
from ...interpreter.feeds import inputs_needed
from ...interpreter.session import Session
from ...ops.traits import PLACEHOLDERS, PLACEHOLDERS_WITHOUT_DEFAULT
from ...values.names import TensorName, check_names
from ...values.terminal import escape
from .matching_rules import SAME_NAME, Candidates, End, ModelTensors, known_candidates, match

GIVEN = "given"

_MAX_LISTED = 10
"""The maximum number of tensors of a model that an error lists."""


@dataclass(frozen=True, slots=True)
class TensorPair:
    """An input or output of the first model, and the tensor of the second model that corresponds to it.

    kind     "input", "output" or "bound"
    name     the name in reports: a key of a signature, or the name of the tensor
    first    the tensor in the first model; empty if only the second one has it
    second   the tensor in the second model; empty if only the first one has it
    reason   the rule that matched them
    value    the value of an input that only training sets; None for others
    """

    kind: str
    name: str
    first: str
    second: str
    reason: str
    value: float | None = None

    def to_text(self) -> str:
        names = [text for text in (self.name, self.first, self.second) if text]
        names = [text for number, text in enumerate(names) if text not in names[:number]]
        value = f", {self.value:g} as in a deployed model" if self.value is not None else ""
        return f"{self.kind} {escape(' -> '.join(names))}: {self.reason}{value}"


@dataclass(frozen=True, slots=True)
class Correspondence:
    """The matched tensors of two models.

    inputs   the inputs that the outputs need; some may exist in only one of the models
    outputs  the outputs to compare
    bound    the tensors that the caller bound to constants
    """

    inputs: list[TensorPair] = field(default_factory=list)
    outputs: list[TensorPair] = field(default_factory=list)
    bound: list[TensorPair] = field(default_factory=list)

    @property
    def pairs(self) -> tuple[TensorPair, ...]:
        return (*self.bound, *self.inputs, *self.outputs)

    def unfed(self, fed: Iterable[str] = ()) -> list[TensorPair]:
        """Return the inputs of the first model without a value that are not in `fed`, names of pairs or tensors."""
        names = {*fed}
        return [
            pair
            for pair in self.inputs
            if pair.value is None and pair.first and names.isdisjoint((pair.name, pair.first))
        ]

    def feeds(self, feeds: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the feeds of both models, by tensor names. `feeds` has values by the names of the input pairs.

        Names without a pair are feeds of both models.
        """
        by_name = {pair.name: pair for pair in self.inputs}
        first: dict[str, Any] = {}
        second: dict[str, Any] = {}
        values = {pair.name: pair.value for pair in self.inputs if pair.value is not None}
        for name, value in {**values, **feeds}.items():
            pair = by_name.get(name)
            if pair is None or pair.first:
                first[name if pair is None else pair.first] = value
            if pair is None or pair.second:
                second[name if pair is None else pair.second] = value
        return first, second


def match_models(
    first: Session,
    second: Session,
    outputs: Iterable[str] | Mapping[str, str] | None = None,
    inputs: Iterable[str] | Mapping[str, str] | None = None,
    fed: Iterable[str] = (),
    *,
    optional: Iterable[str] = (),
) -> Correspondence:
    """Return the inputs and outputs of two models that correspond to each other.

    `outputs` are the tensors of the first model to compare; default: those of the signature of the first model or of
    the second, or else the likely ones. `inputs` are the tensors of the first model to feed; default: those that the
    outputs need. Both may map names in the first model to names in the second; an empty name is for an input that the
    second model lacks. `fed` are inputs with values. `optional` are tensors that may stay unmatched as inputs.

    Raises RunError for tensors that cannot be matched, FeedError for a tensor that is fed twice, GraphError for unknown
    tensors, and ModelError if no output is certain enough.
    """
    matcher = _Matcher(ModelTensors(first, "the first model"), ModelTensors(second, "the second model"))
    output_pairs = matcher.match_outputs(outputs)
    input_pairs = matcher.match_inputs(inputs, fed, optional)
    return Correspondence(input_pairs, output_pairs)


class _Matcher:
    """A match of two models: first of their outputs, then of the inputs that these outputs need."""

    def __init__(self, first: ModelTensors, second: ModelTensors) -> None:
        self.first, self.second = first, second
        self._outputs: list[tuple[TensorName, TensorName]] = []

    # outputs

    def match_outputs(self, requested: Iterable[str] | Mapping[str, str] | None) -> list[TensorPair]:
        first, second = self.first, self.second
        if requested is None and not first.session.outputs and second.session.outputs:
            likely = Candidates(lambda: self._likely(first))
            matched, left, others = match(self._likely(second), likely, second, first)
            if left:
                raise self._unmatched("output", others, left, Hint.MATCH_OUTPUTS)
            matched.sort(key=lambda match: match[0].name)
            return [self._output(end.name, other.tensor, end.tensor, reason) for end, other, reason in matched]
        pairs, ends = ([], self._likely(first)) if requested is None else self._split(requested)
        matched, left, others = match(ends, self._candidates(second), first, second)
        if left and not second.session.outputs:
            taken = {other.tensor for _, other, _ in matched}
            possible = [End(name, second.find(name, {})) for name in second.session.possible_outputs]
            more, left, others = match(left, known_candidates(possible), first, second, taken=taken)
            matched += more
        if left:
            raise self._unmatched("output", left, others, Hint.MATCH_OUTPUTS)
        rows = {end.name: self._output(end.name, end.tensor, other.tensor, reason) for end, other, reason in matched}
        return [*pairs, *(rows[end.name] for end in ends)]

    def _output(self, name: str, one: TensorName, other: TensorName, reason: str) -> TensorPair:
        self._outputs.append((one, other))
        first, second = self.first.session.outputs, self.second.session.outputs
        return TensorPair("output", name, self.first.spell(one, first), self.second.spell(other, second), reason)

    def _split(self, requested: Iterable[str] | Mapping[str, str]) -> tuple[list[TensorPair], list[End]]:
        """Return the pairs of outputs that the caller gives, and the outputs to match."""
        keys, other_keys = self.first.session.outputs, self.second.session.outputs
        pairs, ends = [], []
        for name, partner in _partners(requested).items():
            tensor = self.first.find(name, keys)
            if partner == name:
                key = name if name in keys else _key_of(tensor, keys)
                is_inner = not key and not self.second.has(tensor) and self._is_inner(tensor)
                ends.append(End(name, tensor, key, is_inner))
            else:
                pairs.append(self._output(name, tensor, self.second.find(partner, other_keys), GIVEN))
        return pairs, ends

    def _is_inner(self, tensor: TensorName) -> bool:
        """Return whether a tensor is not an output of the first model."""
        return all(end.tensor != tensor for end in self._candidates(self.first).ends)

    def _candidates(self, side: ModelTensors) -> Candidates:
        outputs = side.session.outputs
        if outputs:
            return known_candidates(self._keyed(side, outputs))

        def find() -> list[End]:
            try:
                return self._likely(side)
            except ModelError:  # the outputs may still be matched by their names
                return []

        return Candidates(find)

    @staticmethod
    def _keyed(side: ModelTensors, tensors: Mapping[str, str]) -> list[End]:
        return [End(key, side.find(key, tensors), key) for key in sorted(tensors)]

    @staticmethod
    def _likely(side: ModelTensors) -> list[End]:
        if side.session.outputs:
            return _Matcher._keyed(side, side.session.outputs)
        return [End(name, side.find(name, {})) for name in side.session.default_fetches]

    def _unmatched(self, kind: str, ends: Sequence[End], others: Sequence[End], advice: Hint) -> RunError:
        sides = [(self.first, ends), (self.second, others)]
        missing, left = [
            ", ".join(side.describe(end) for end in rows[:_MAX_LISTED])
            + (f" and {len(rows) - _MAX_LISTED:,} more" if len(rows) > _MAX_LISTED else "")
            for side, rows in sides
        ]
        return RunError(
            f"the {kind}s of the models do not match: unmatched in {self.first.name}: {missing or 'none'}; "
            f"in {self.second.name}: {left or 'none'}; ",
            advice,
        )

    # inputs

    def match_inputs(
        self, requested: Iterable[str] | Mapping[str, str] | None, fed: Iterable[str], optional: Iterable[str]
    ) -> list[TensorPair]:
        first, second = self.first, self.second
        first_fetches, second_fetches = ([pair[number].numbered for pair in self._outputs] for number in (0, 1))
        partners, fed = _partners(requested or ()), set(fed)
        is_restricted = requested is not None and (not partners or any(map(str.__eq__, partners, partners.values())))
        named = [self._first_input(name) for name in partners]
        ends = self._requested_inputs(named, fed)
        if not is_restricted:
            ends += self._needed_inputs(first_fetches, ends)
        renamed = {end.tensor: partners[end.name] for end in named if partners[end.name] != end.name}
        pairs: list[TensorPair] = []
        for end in ends:
            if end.tensor in renamed:
                partner = renamed[end.tensor]
                pairs.append(self._input(end, second.find(partner, second.session.inputs) if partner else None, GIVEN))
        done = {pair.name for pair in pairs}
        open_ends = [end for end in ends if end.name not in done]
        taken = {TensorName.parse(pair.second) for pair in pairs if pair.second}
        keyed = known_candidates(self._keyed(second, second.session.inputs))
        matched, open_ends, _ = match(open_ends, keyed, first, second, only_names=True, taken=taken)
        taken |= {other.tensor for _, other, _ in matched}
        places = equal_places(self._outputs, first.nodes, second.nodes) if open_ends else {}
        training = self._training_values(first, [], 0) if open_ends else {}
        # the second pass omits training inputs: the second model may lack them, and they make matches ambiguous
        required = PLACEHOLDERS_WITHOUT_DEFAULT
        for ops, omitted in ((required, {}), (required, training), (PLACEHOLDERS, {})):
            ends_to_match = [end for end in open_ends if end.tensor not in omitted]
            if ends_to_match:
                others = self._needed(second, second_fetches, taken, ops)
                more, _, _ = match(ends_to_match, known_candidates(others), first, second, taken=taken, places=places)
                matched += more
                taken |= {other.tensor for _, other, _ in more}
                done = {end.name for end, _, _ in more}
                open_ends = [end for end in open_ends if end.name not in done]
        left = self._needed(second, second_fetches, taken, required) if not is_restricted else []
        rows = {end.name: self._input(end, other.tensor, reason) for end, other, reason in matched}
        pairs += [rows[end.name] for end in ends if end.name in rows]
        return self._with_training_values(pairs, open_ends, left, {*optional}, fed)

    def _first_input(self, name: str) -> End:
        return End(name, self.first.find(name, self.first.session.inputs), _in_keys(name, self.first))

    def _requested_inputs(self, named: list[End], fed: Iterable[str]) -> list[End]:
        """Return the named inputs of the first model, and those that are fed, each tensor once."""
        ends = list(map(self._first_input, sorted(fed)))
        if len({end.tensor for end in ends}) < len(ends):
            raise FeedError("a tensor is fed twice")
        return list({end.tensor: end for end in (*named, *ends)}.values())

    def _needed_inputs(self, fetches: list[str], ends: list[End]) -> list[End]:
        """Return the inputs of the first model that the fetches need besides `ends`."""
        session, known = self.first.session, {end.tensor for end in ends}
        needed = inputs_needed(session, list(session.inputs), fetches, [end.tensor.numbered for end in ends])
        others: dict[TensorName, End] = {}
        for end in map(self._first_input, needed):
            if end.tensor not in known:
                others.setdefault(end.tensor, end)
        return list(others.values())

    def _with_training_values(
        self,
        pairs: list[TensorPair],
        ends: list[End],
        others: list[End],
        optional: set[str],
        fed: set[str],
    ) -> list[TensorPair]:
        """Return the pairs with values for the inputs that only training sets, matched or not.

        Raises RunError for other unmatched inputs of either model (`ends`, `others`) that are not `optional`.
        """
        first_values = self._training_values(self.first, [pair.first for pair in pairs], 0)
        second_values = self._training_values(self.second, [pair.second for pair in pairs], 1)
        for number, pair in enumerate(pairs):
            one = first_values.pop(TensorName.parse(pair.first), None) if pair.first else None
            other = second_values.pop(TensorName.parse(pair.second), None) if pair.second else None
            if pair.name not in fed and not (one is None and other is None):
                pairs[number] = replace(pair, value=other if one is None else one)
        allowed = {TensorName.parse(name) for name in optional}
        ends = [end for end in ends if end.tensor not in first_values and end.tensor not in allowed]
        others = [end for end in others if end.tensor not in second_values and end.tensor not in allowed]
        if ends or others:
            raise self._unmatched("input", ends, others, Hint.MATCH_INPUTS)
        for tensor, value in first_values.items():
            name, other_name = self.first.spell(tensor, self.first.session.inputs), ""
            if second_values.pop(tensor, None) is not None:
                other_name = self.second.spell(tensor, self.second.session.inputs)
            reason = SAME_NAME if other_name else f"only in {self.first.name}"
            pairs.append(TensorPair("input", name, name, other_name, reason, value))
        for tensor, value in second_values.items():
            name = self.second.spell(tensor, self.second.session.inputs)
            pairs.append(TensorPair("input", name, "", name, f"only in {self.second.name}", value))
        return pairs

    def _training_values(self, side: ModelTensors, names: Iterable[str], number: int) -> dict[TensorName, float]:
        """Return the values of placeholders that the outputs need and only training sets.

        The inputs of the signature are left out. `number` is 0 for the first model and 1 for the second. `names` are
        its matched inputs; "" for an input that it lacks.
        """
        session = side.session
        fetches = [pair[number].numbered for pair in self._outputs]
        fed = [TensorName.parse(name) for name in names if name]
        declared = {session.tensor(name, {}).node for name in session.inputs.values() if name}
        inner = [tensor.numbered for tensor in fed if side.node(tensor).op not in PLACEHOLDERS]
        needed = {step.node.name for step in session.plan(inner, fetches).steps if step.node.op in PLACEHOLDERS}
        if not needed - declared:
            return {}
        values = {TensorName.parse(name): value for name, value in session.training_inputs(fetches).items()}
        return {tensor: value for tensor, value in values.items() if tensor.node in needed - declared}

    def _input(self, end: End, other: TensorName | None, reason: str) -> TensorPair:
        first, second = self.first.session.inputs, self.second.session.inputs
        name = self.second.spell(other, second) if other is not None else ""
        return TensorPair("input", end.name, self.first.spell(end.tensor, first), name, reason)

    @staticmethod
    def _needed(
        side: ModelTensors, fetches: Sequence[str], fed: Iterable[TensorName], ops: Collection[str]
    ) -> list[End]:
        """Return the placeholders with an op in `ops` that the fetches need besides `fed`, in graph order."""
        steps = side.session.plan([tensor.numbered for tensor in fed], fetches).steps
        fed_nodes = {tensor.node for tensor in fed}
        names = {step.node.name for step in steps if step.node.op in ops} - fed_nodes
        ends = [End(name, TensorName(name), _in_keys(name, side)) for name in names]
        return sorted(ends, key=lambda end: side.position(end.tensor))


def _in_keys(name: str, side: ModelTensors) -> str:
    return name if name in side.session.inputs else _key_of(side.find(name, side.session.inputs), side.session.inputs)


def _key_of(tensor: TensorName, keys: Mapping[str, str]) -> str:
    return next((key for key in sorted(keys) if keys[key] and TensorName.parse(keys[key]) == tensor), "")


def _partners(names: Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """Return the names in the second model by those in the first. Both are equal if `names` is not a mapping."""
    return dict(names) if isinstance(names, Mapping) else {name: name for name in check_names(names)}
