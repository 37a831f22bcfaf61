"""Lists of tensors: TensorArrays and TensorLists become tensors whose first axis counts the elements.

A list that was reserved and not written yet is an `EmptyList`. Where its elements must be there before it is written,
they are zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....messages import DataType
from ....values.dtypes import dtype_of
from ....values.shape import Shape
from .model import Value
from .registry import Refusal
from .scope import INT64, Scope


@dataclass(eq=False, slots=True)
class EmptyList(Value):
    """A list without elements yet.

    size      the number of its places, an int64; None if it grows
    element   the shape of its elements, as far as it is known
    """

    size: Value | None = None
    element: Shape | None = None

    @property
    def places(self) -> int | None:
        """The number of its places, if that is known."""
        data = None if self.size is None else self.size.data
        return None if data is None or data.size != 1 else int(data.ravel()[0])


def empty_list(dtype: DataType, size: Value | None, element: Shape | None) -> EmptyList:
    return EmptyList(dtype, listed=True, size=size, element=element)


def filled_list(scope: Scope, value: EmptyList, element: Shape | None, name: str) -> Value:
    """Return a list of zeros. Raises Refusal unless its size and the shape of its elements are known.

    What is written into a list of one place replaces all of it, so that unknown sizes can be 0 until then.
    """
    shape = element if element is not None and None not in element else value.element
    if value.places == 1 and element is not None and (shape is None or None in shape):
        shape = tuple(size or 0 for size in element)
    if value.size is None:
        raise Refusal("a list that grows is read while it is written")
    if value.dtype == DataType.DT_STRING:
        raise Refusal("a list of strings is read before it is written")
    if shape is None or None in shape:
        raise Refusal("the shape of the elements of its list is not known", "--shape")
    size = value.size
    if size.rank != 1:
        (size,) = scope.add("Unsqueeze", size, scope.constant([0], INT64), types=[INT64], scope=name)
    sizes = size
    if shape:
        (sizes,) = scope.add(
            "Concat", size, scope.constant(list(shape), INT64), types=[INT64], scope=name, attributes={"axis": 0}
        )
    zero = np.zeros(1, dtype_of(value.dtype).numpy)
    (filled,) = scope.add("ConstantOfShape", sizes, types=[value.dtype], scope=name, attributes={"value": zero})
    filled.listed = True
    filled.shape = (None, *shape)
    return filled
