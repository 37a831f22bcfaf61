"""`respelled` returns another encoding of the same message."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given

from tests.support.samples import Choice, Groups, Maps, Proto2, Recursive, Repeated, Scalars
from tests.support.strategies import messages
from tests.support.wire_variants import forms
from tfmodel.messages import GraphDef

CLASSES = [Choice, Groups, Maps, Proto2, Recursive, Repeated, Scalars, GraphDef]


@pytest.mark.parametrize("cls", CLASSES, ids=attrgetter("__name__"))
def test_another_encoding_means_the_same(cls: Any) -> None:
    @given(forms(messages(cls)))
    def check(case: tuple[Any, bytes]) -> None:
        message, data = case
        assert cls.from_bytes(data) == message

    check()
