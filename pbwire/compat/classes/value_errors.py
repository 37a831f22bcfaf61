"""`ValueErrors`: the errors of readers and printers as protobuf raises them."""

from __future__ import annotations

from typing import Any

from ...errors import Error


class ValueErrors:
    """Turns errors of readers and printers into ValueErrors, as protobuf raises them."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Error):
            raise ValueError(f"{self.prefix}{error}") from error
