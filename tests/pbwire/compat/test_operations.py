"""The same operations on the same messages have the same results, errors and bytes in protobuf and here."""

from __future__ import annotations

import pytest

from tests.pbwire.compat.operations import difference
from tests.support import samples
from tfmodel import messages

CLASSES = [
    messages.AttrValue,
    messages.Example,
    messages.GraphDef,
    messages.MetaGraphDef,
    messages.NodeDef,
    messages.SaverDef,
    messages.TensorProto,
    samples.Choice,
    samples.Groups,
    samples.Maps,
    samples.Proto2,
    samples.Repeated,
    samples.Scalars,
]
SEEDS = 10
MANY_SEEDS = 300


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_operations_have_the_same_results_as_in_protobuf(cls):
    assert [found for seed in range(SEEDS) if (found := difference(cls.__table__.full_name, cls, seed))] == []


@pytest.mark.slow(reason="3,900 sequences")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_many_operations_have_the_same_results_as_in_protobuf(cls):
    seeds = range(SEEDS, SEEDS + MANY_SEEDS)
    assert [found for seed in seeds if (found := difference(cls.__table__.full_name, cls, seed))] == []
