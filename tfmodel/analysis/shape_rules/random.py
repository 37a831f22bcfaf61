"""Shape rules of random numbers and candidate samplers."""

from __future__ import annotations

from ...values.shape import SCALAR, broadcast, concatenate_shapes, merge_shapes, with_rank
from .array import sizes
from .table import Call, Result, Rule, same_shape, share_rule


def _random_poisson(call: Call) -> Result:
    """Return the shape: `shape` followed by the shape of the rates."""
    return concatenate_shapes(call.sizes(0), call.shape(1))


def _multinomial(call: Call) -> Result:
    logits = call.shape(0)
    return with_rank(logits, 2)[0], call.number(1)


def _random_gamma_grad(call: Call) -> Result:
    return broadcast(call.shape(0), call.shape(1))


def _candidates(call: Call) -> Result:
    sampled = call.attr("num_sampled", int)
    classes = call.shape(0)
    return [(sampled,), merge_shapes(classes, (None, call.attr("num_true", int))), (sampled,)]


def _key_counter(call: Call) -> Result:
    return [(1,), (2,)]


ELEMENTWISE: dict[str, Rule] = {
    "RandomShuffle": same_shape,
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "Multinomial": _multinomial,
    "RandomGamma": _random_poisson,
    "RandomGammaGrad": _random_gamma_grad,
    "RandomPoisson": _random_poisson,
    "RandomPoissonV2": _random_poisson,
    "StatelessMultinomial": _multinomial,
    "StatelessRandomGetAlg": lambda call: SCALAR,
    "StatelessRandomGetKeyCounter": _key_counter,
    "StatelessRandomGetKeyCounterAlg": lambda call: [(1,), (2,), SCALAR],
    **share_rule(
        """
        AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler
        LogUniformCandidateSampler ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler
        """,
        _candidates,
    ),
    **share_rule(
        """
        ParameterizedTruncatedNormal RandomStandardNormal RandomUniform RandomUniformInt
        StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2
        StatelessRandomGammaV3 StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomPoisson
        StatelessRandomUniform StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2
        StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2
        StatelessTruncatedNormal StatelessTruncatedNormalV2 TruncatedNormal
        """,
        sizes(0),
    ),
    **share_rule(
        """
        StatefulRandomBinomial StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform
        StatefulUniformFullInt StatefulUniformInt
        """,
        sizes(2),
    ),
}
