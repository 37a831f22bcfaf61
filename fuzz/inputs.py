"""The inputs of a run: some are generated from tables, the others are mutations of real and generated ones.

    inputs = Inputs(target, seed)
    files = inputs.next()
    inputs.learn(files, "DecodeError: truncated")       # a new outcome makes an input worth mutating again

One in eight inputs is generated, which takes as long as the seven mutations. The mutations start in equal parts from
real files, from recently generated inputs, and from inputs with new outcomes.

Code coverage is not measured. The outcome, an error's type and its message without numbers and names, carries nearly
the same information for a reader with precise errors, at no cost.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .mutation import mutate
from .target import Files, Target

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from .target import Source

__all__ = ["Inputs", "examples"]

MAX_SEEDS = 400
MAX_KEPT = 400
RECENT = 100
GENERATED = 8  # one of this many inputs is generated
BATCH = 50  # examples per batch; not small, because the first ones of a batch are simple


class Inputs:
    """An endless, reproducible sequence of inputs for a target; it depends on the seed and on the calls of `learn`."""

    def __init__(self, target: Target, seed: int) -> None:
        self.chance = random.Random(f"{target.name} {seed}")
        self.seeds = _some(list(target.seeds()), MAX_SEEDS, self.chance)
        self.kept: list[Files] = []
        self.recent: list[Files] = []
        self.shapes: set[str] = set()
        self._examples = examples(target.strategy(), self.chance)
        self._count = 0

    def next(self) -> Files:
        """Yield one generated and seven mutated inputs in turn; sometimes an unchanged seed."""
        self._count += 1
        if self._count % 32 == 0 and self.seeds:
            return self.chance.choice(self.seeds)
        if self._count % GENERATED == 1:
            files = next(self._examples)
            _keep(self.recent, files, RECENT, self.chance)
            return files
        return mutate(self._known(), self._pool(), self.chance)

    def learn(self, files: Files, shape: str) -> bool:
        """Record the outcome of an input, and return whether it is new."""
        if shape in self.shapes:
            return False
        self.shapes.add(shape)
        _keep(self.kept, files, MAX_KEPT, self.chance)
        return True

    def _known(self) -> Files:
        return self.chance.choice(self._pool() or [next(self._examples)])

    def _pool(self) -> list[Files]:
        pools = [pool for pool in (self.seeds, self.kept, self.recent) if pool]
        return self.chance.choice(pools) if pools else []


def examples(source: Source, chance: random.Random) -> Iterator[Files]:
    """Yield generated inputs without end, from a function or from a hypothesis strategy."""
    while True:
        if callable(source):
            yield source(chance)
        else:
            yield from _batch(source, chance.getrandbits(64))


def _batch(strategy: SearchStrategy[Files], number: int) -> list[Files]:
    from hypothesis import HealthCheck, Phase, given, seed, settings

    batch: list[Files] = []

    @seed(number)
    @settings(
        max_examples=BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(files: Files) -> None:
        batch.append(files)

    collect()
    return batch


def _some(items: list[Files], most: int, chance: random.Random) -> list[Files]:
    """Return at most `most` items, in their order."""
    if len(items) <= most:
        return items
    return [items[i] for i in sorted(chance.sample(range(len(items)), most))]


def _keep(pool: list[Files], files: Files, most: int, chance: random.Random) -> None:
    """Add to a pool; a full pool loses a random item."""
    if len(pool) < most:
        pool.append(files)
    else:
        pool[chance.randrange(most)] = files
