"""Two models to compare: open both, match their inputs and outputs, and make random inputs for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pbwire.errors import compose

from ...analysis.choice import fitting_signature
from ...errors import GraphError, Hint, RunError, with_name
from ...files.decoding import Tags, naming_damage
from ...graph.error_text import quote
from ...interpreter.feeds import input_shape, random_feeds
from ...interpreter.session import Session, ignore_log
from ...messages import DataType
from ...source.model_source import CheckpointSource, Given, ModelSource, source_pair
from ...values.names import TensorName
from ...values.shape import Shape, shape_to_text
from .comparison import Verification
from .correspondence import GIVEN, Correspondence, TensorPair, match_models
from .likely_feeds import likely_feeds


@dataclass(frozen=True, slots=True)
class Matched:
    """Two open models with the inputs and outputs that correspond to each other."""

    first: Session
    second: Session
    correspondence: Correspondence

    def generate_inputs(self, verification: Verification) -> tuple[dict[str, Any], list[str]]:
        """Return random values of the inputs that `verification` does not feed, and notes on shapes not known.

        If one model leaves a dimension open, the size in the other model is taken. If both do, or do not know the rank,
        the shape is a likely one: see `likely_feeds`, which also finds the limits of indices. Raises the errors of
        `random_feeds`.
        """
        pairs, batch_size = self.correspondence.unfed(verification.feeds or ()), verification.batch_size
        by_name = {pair.name: pair.first for pair in pairs}
        sizes = {by_name.get(name, name): shape for name, shape in (verification.shapes or {}).items()}
        given = {self.first.tensor(name, self.first.inputs): tuple(shape) for name, shape in sizes.items()}
        tensors = {self.first.tensor(pair.first, self.first.inputs): pair for pair in pairs}
        known = {tensor: given.get(tensor, self._shape(pair, batch_size)) for tensor, pair in tensors.items()}
        facts = self.first.facts
        likely = likely_feeds(facts.index, facts.shapes, known, 1 if batch_size is None else batch_size)
        notes = []
        for tensor, pair in tensors.items():
            declared = known[tensor]
            shape = likely.shapes.get(tensor, declared)
            if tensor in given or shape is None or None in shape:
                continue
            sizes[pair.first] = [size for size in shape if size is not None]
            if (declared is None or None in declared[1:]) and not self._is_string(pair):
                what = "not known" if declared is None else f"only known to be {shape_to_text(declared)}"
                used = f"; {shape_to_text(shape)} is used"
                notes.append(compose(f"the shape of {quote(pair.name)} is {what}: ", Hint.GIVE_SHAPE, used))
        with naming_model(self.first, "the first model"):
            random = random_feeds(
                self.first,
                [pair.first for pair in pairs],
                shapes=sizes,
                batch_size=batch_size,
                seed=verification.seed,
                max_bytes=verification.max_bytes,
                limits={tensors[tensor].first: limit for tensor, limit in likely.limits.items()},
            )
        return {pair.name: random[pair.first] for pair in pairs}, notes

    def _is_string(self, pair: TensorPair) -> bool:
        tensor = self.first.tensor(pair.first, self.first.inputs)
        types = self.first.types_of(self.first.node(tensor)) or ()
        return tensor.port < len(types) and types[tensor.port] == DataType.DT_STRING

    def _shape(self, pair: TensorPair, batch_size: int | None) -> Shape | None:
        """Return the shape of an input as far as one of the models knows it; None for an unknown rank."""
        shape = _known_shape(self.first, pair.first)
        if not pair.second or (shape is not None and None not in shape):
            return shape
        other = _known_shape(self.second, pair.second)
        if shape is None or other is None or len(shape) != len(other):
            shape = other if shape is None else shape
        else:
            shape = tuple(size if size is not None else also for size, also in zip(shape, other, strict=True))
        if shape and shape[0] is None:
            return (1 if batch_size is None else batch_size, *shape[1:])
        return shape


def _known_shape(session: Session, name: str) -> Shape | None:
    shape = input_shape(session, session.tensor(name, session.inputs))
    return None if shape is None else tuple(shape)


class Pair:
    """Two models to compare.

    `tags` are for SavedModels, `signature` is for models with signatures and `checkpoint` for models with variables.
    Raises FileFormatError and OSError for models that cannot be read, and FileFormatError for `tags` if neither is a
    SavedModel. `match` raises ModelError for other options that neither model can use.
    """

    def __init__(
        self,
        a: Given,
        b: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
        seed: int = 0,
    ) -> None:
        sources = [source.with_functions() for source in source_pair(a, b, tags=tags)]
        have_signatures = [source.has_signatures for source in sources]
        take_checkpoint = [source.takes_checkpoint for source in sources]
        self._seed = seed
        self._sources = [
            ModelSource.of(
                source,
                checkpoint=checkpoint if takes_checkpoint or not any(take_checkpoint) else None,
                signature=signature if has_signatures or not any(have_signatures) else None,
            )
            for source, has_signatures, takes_checkpoint in zip(sources, have_signatures, take_checkpoint, strict=True)
        ]
        if signature is None and have_signatures.count(True) == 1:
            number = have_signatures.index(True)
            name = fitting_signature(self._sources[number], self._sources[1 - number].graph)
            self._sources[number] = ModelSource.of(self._sources[number], signature=name)

    def _sessions(self, *bindings: Mapping[str, Any]) -> tuple[Session, Session]:
        first, second = (
            Session(source, bind=values, seed=self._seed, log=ignore_log)
            for source, values in zip(self._sources, bindings, strict=True)
        )
        return first, second

    def match(
        self,
        outputs: Iterable[str] | Mapping[str, str] | None = None,
        inputs: Iterable[str] | Mapping[str, str] | None = None,
        fed: Iterable[str] = (),
        *,
        bind: Mapping[str, Any] | None = None,
    ) -> Matched:
        """Open both models and match their inputs and outputs: see `match_models`.

        Each model gets the bindings of tensors that it has. If an input is bound in one model only, the corresponding
        input of the other model is bound too. Raises RunError for a binding of a tensor that neither model has.
        """
        with naming_damage(*(source.file for source in self._sources)):
            return self._match(outputs, inputs, fed, bind or {})

    def _match(
        self,
        outputs: Iterable[str] | Mapping[str, str] | None,
        inputs: Iterable[str] | Mapping[str, str] | None,
        fed: Iterable[str],
        bind: Mapping[str, Any],
    ) -> Matched:
        first, second = self._sessions({}, {})
        if not bind:
            return Matched(first, second, match_models(first, second, outputs, inputs, fed))
        bound = [
            {name: tensor for name in bind if (tensor := _find_tensor(session, name)) is not None}
            for session in (first, second)
        ]
        for name in bind:
            if name not in bound[0] and name not in bound[1]:
                raise RunError(f"neither model has a tensor {quote(name)} that could be bound")
        optional = [{tensor.numbered for tensor in tensors.values()} for tensors in bound]
        matched = match_models(first, second, outputs, inputs, fed, optional=optional[0] | optional[1])
        kept = []
        for pair in matched.inputs:
            ends = [_find_tensor(session, name) for session, name in ((first, pair.first), (second, pair.second))]
            names = [
                next((name for name, tensor in tensors.items() if tensor == end), None)
                for end, tensors in zip(ends, bound, strict=True)
            ]
            if names == [None, None]:
                kept.append(pair)
                continue
            bound_name = names[0] or names[1] or ""
            for end, own_name, tensors in zip(ends, names, bound, strict=True):
                if end is not None and own_name is None:
                    tensors[bound_name] = end
        sessions = self._sessions(*({t.numbered: bind[name] for name, t in tensors.items()} for tensors in bound))
        rows = []
        for name in bind:
            spellings = [str(tensors[name]) if name in tensors else "" for tensors in bound]
            rows.append(TensorPair("bound", name, spellings[0], spellings[1], GIVEN))
        return Matched(*sessions, Correspondence(kept, matched.outputs, rows))


def _find_tensor(session: Session, name: str) -> TensorName | None:
    """Return the tensor of a name or key; None if the model does not have it."""
    try:
        return session.tensor(name, session.inputs) if name else None
    except GraphError:
        return None


@contextmanager
def naming_model(session: Session, name: str = "the model") -> Iterator[None]:
    """Add the name of the model to errors of a run. `name` is the name of a model without a file."""
    try:
        yield
    except (GraphError, RunError) as error:
        raise type(error)(with_name(model_name(session, name), error)) from error


def model_name(session: Session, name: str) -> str:
    return session.file.name if session.file is not None else name
