"""The values of the tensors of a model with the sample feeds, computed when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import Error
from ...interpreter import Session
from ...values.names import TensorName

_MAX_BATCH = 2000  # tensors that are fetched in one run


class Values:
    """Computes tensors on NumPy, and keeps their values.

    A tensor that cannot be computed, because an op before it fails or has no kernel, has no value.
    """

    def __init__(self, session: Session, feeds: Mapping[str, Any]) -> None:
        self._session = session
        self._feeds = dict(feeds)
        self._values: dict[TensorName, Any] = {TensorName.parse(name): value for name, value in feeds.items()}
        self._missing: set[TensorName] = set()

    def get(self, tensor: TensorName) -> Any:
        """Return the value of a tensor; None if it has none."""
        self.compute([tensor])
        return self._values.get(tensor)

    def set(self, values: Mapping[TensorName, Any]) -> None:
        """Set the values of tensors that the model has; all others are computed from them."""
        nodes = {node.name for node in self._session.graph.node}
        values = {tensor: value for tensor, value in values.items() if tensor.node in nodes}
        self._values.update(values)
        self._feeds.update({tensor.numbered: value for tensor, value in values.items()})

    def compute(self, tensors: Iterable[TensorName]) -> None:
        """Compute several tensors at once."""
        new = [
            tensor for tensor in dict.fromkeys(tensors) if tensor not in self._values and tensor not in self._missing
        ]
        for start in range(0, len(new), _MAX_BATCH):
            self._run(new[start : start + _MAX_BATCH])

    def _run(self, tensors: list[TensorName]) -> None:
        """Compute tensors in one run; in halves if the run fails, until the tensors that fail are known."""
        if not tensors:
            return
        names = [tensor.numbered for tensor in tensors]
        try:
            values = self._session.run(self._feeds, names)
        except Error:
            if len(tensors) == 1:
                self._missing.add(tensors[0])
                return
            middle = len(tensors) // 2
            self._run(tensors[:middle])
            self._run(tensors[middle:])
            return
        for tensor, name in zip(tensors, names, strict=True):
            self._values[tensor] = values[name]
