"""Kernels of optionals: values that may be absent, as variants. Gradients of conditionals use them.

OptionalGetValue(OptionalFromValue(a, b))    a, b
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..runtime.argument_checks import check
from ..runtime.registry import Tensor, kernel

__all__ = ["Optional"]


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """Tensors, or None for an absent value."""

    components: tuple[Any, ...] | None


@kernel("OptionalFromValue")
def optional_from_value(*components: Any) -> Any:
    return (Optional(components),)


@kernel("OptionalNone")
def optional_none() -> Any:
    return (Optional(None),)


@kernel("OptionalHasValue")
def optional_has_value(optional: Any) -> Tensor:
    return np.asarray(_to_optional(optional).components is not None)


@kernel("OptionalGetValue")
def optional_get_value(optional: Any) -> tuple[Any, ...]:
    components = _to_optional(optional).components
    check(components is not None, "the optional has no value")
    return components or ()


def _to_optional(value: Any) -> Optional:
    check(isinstance(value, Optional), "its input must be an optional")
    optional: Optional = value
    return optional
