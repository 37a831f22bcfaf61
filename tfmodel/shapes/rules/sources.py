"""Constants, placeholders, and ops that are told the shape of what they make: fill, range, random numbers."""

from __future__ import annotations

import math
import operator

from ...errors import GraphError
from ...messages import DataType, TensorProto
from ...ops.partial_tensors import Tensor, computed, constant
from ...ops.shape_rules import MOST_ELEMENTS, Call, Result, Rule, alike
from ...shape import SCALAR, broadcast, concatenated, merged, ranked, size_of

__all__ = ["PLACEHOLDERS", "RULES"]

PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})
_SCALAR_IS_UNKNOWN = 21  # the last version of graphs in which a placeholder of no shape is written as a scalar


def _const(call: Call) -> Result:
    return constant(call.attr("value", TensorProto))


def _placeholder(call: Call) -> Result:
    shape = call.shape_attr("shape")
    return None if shape == () and call.producer <= _SCALAR_IS_UNKNOWN else shape


def _shape_attribute(call: Call) -> Result:
    return call.shape_attr("shape")


def _with_default(call: Call) -> Result:
    """What comes in may be fed in its place, of any shape that the attribute allows."""
    merged(call.shape(0), call.shape_attr("shape"))
    return call.shape_attr("shape")


def _fill(call: Call) -> Result:
    shape, size = call.sizes(0), None
    value, element = call.value(0), call.value(1)
    if value is not None and -1 in value:
        raise GraphError("a size is negative")
    size = size_of(shape)
    if size is not None and size <= MOST_ELEMENTS and element is not None and len(element) == 1:
        return Tensor(shape, element * size)
    return shape


def _sizes(place: int) -> Rule:
    """Of the shape that an input spells."""

    def rule(call: Call) -> Result:
        return call.sizes(place)

    return rule


def _random_poisson(call: Call) -> Result:
    """So many numbers for each rate."""
    return concatenated(call.sizes(0), call.shape(1))


def _multinomial(call: Call) -> Result:
    logits = call.shape(0)
    return ranked(logits, 2)[0], call.number(1)


def _range(call: Call) -> Result:
    found = [call.value(place) for place in range(3)]
    for shape in call.shapes:
        merged(shape, SCALAR)
    start, limit, delta = (None if value is None or len(value) != 1 else value[0] for value in found)
    if start is None or limit is None or delta is None:
        return (None,)
    if not delta or ((start < limit) == (delta < 0) and start != limit):
        raise GraphError(f"a range from {start} to {limit} in steps of {delta} never ends")
    if isinstance(start, int) and isinstance(limit, int) and isinstance(delta, int):
        count = -(-abs(limit - start) // abs(delta))
        return Tensor((count,), tuple(range(start, limit, delta))) if count <= MOST_ELEMENTS else (count,)
    dtype = call.attr("Tidx", DataType)
    steps = computed(dtype, operator.truediv, computed(dtype, operator.sub, limit, start), delta)
    return (None if steps is None or not math.isfinite(steps) else math.ceil(steps),)


def _linspace(call: Call) -> Result:
    return (call.number(2),)


def _random_gamma_grad(call: Call) -> Result:
    return broadcast(call.shape(0), call.shape(1))


def _candidates(call: Call) -> Result:
    sampled = call.attr("num_sampled", int)
    classes = call.shape(0)
    return [(sampled,), merged(classes, (None, call.attr("num_true", int))), (sampled,)]


def _key_counter(call: Call) -> Result:
    return [(1,), (2,)]


RULES: dict[str, Rule] = {
    "Const": _const,
    "Fill": _fill,
    "HostConst": _const,
    "LinSpace": _linspace,
    "Multinomial": _multinomial,
    "Placeholder": _placeholder,
    "PlaceholderV2": _shape_attribute,
    "PlaceholderWithDefault": _with_default,
    "RandomGamma": _random_poisson,
    "RandomGammaGrad": _random_gamma_grad,
    "RandomPoisson": _random_poisson,
    "RandomPoissonV2": _random_poisson,
    "Range": _range,
    "StatelessMultinomial": _multinomial,
    "StatelessRandomGetAlg": lambda call: SCALAR,
    "StatelessRandomGetKeyCounter": _key_counter,
    "StatelessRandomGetKeyCounterAlg": lambda call: [(1,), (2,), SCALAR],
    "ImmutableConst": _shape_attribute,
    **alike(
        """Empty ParameterizedTruncatedNormal RandomStandardNormal RandomUniform RandomUniformInt
        StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomGammaV3
        StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniform
        StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 StatelessRandomUniformInt
        StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2
        TruncatedNormal""",
        _sizes(0),
    ),
    **alike(
        """StatefulRandomBinomial StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform
        StatefulUniformFullInt StatefulUniformInt""",
        _sizes(2),
    ),
    **alike(
        """AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler
        ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler""",
        _candidates,
    ),
}
