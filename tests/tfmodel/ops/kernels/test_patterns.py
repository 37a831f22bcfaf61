"""Regular expressions that are not computed: what Python does not have, and what could take for ever."""

from __future__ import annotations

import pytest

from tfmodel.errors import RunError
from tfmodel.ops.kernels.patterns import compiled


@pytest.mark.parametrize("pattern", [rb"\pL", rb"\p{Greek}", rb"\C", b"(?U)a+", b"a(?i)B", b"\xff"])
def test_what_python_does_not_have_is_refused(pattern: bytes) -> None:
    with pytest.raises(RunError, match="is no regular expression"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", [
    b"(a+)+b", b"(?:a*)*", b"((a+)b?)*", b"(a|aa)+b", b"(?:ab|a.)*c", b"(x{2,})+", b"(.|a)*b", b"([^b]|a)+c",
])
def test_what_could_take_for_ever_is_refused(pattern: bytes) -> None:
    with pytest.raises(RunError, match="this could take for ever"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", [b"(foo|bar)+", b"(?:[a-c]|[0-9])*", b"(ab)+c*", b"(a+)b", b"(a{3})*"])
def test_harmless_repetitions_are_not(pattern: bytes) -> None:
    assert compiled(pattern).groups <= 1
