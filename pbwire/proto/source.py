"""A .proto file between its text and its descriptor: where each declaration is, and its comment."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import ProtoError
from .lexer import Lexer, Token


class SourceFile:
    """A descriptor of a file and what is known about its text.

    `places` has tokens by the identity of a part of the descriptor and by what they are: "name", "type", "number".
    `comments` has comments by the identity of a declaration. Both are empty without text. `json_names` has the
    identities of fields whose name in JSON was not given.
    """

    def __init__(self, descriptor: Any, lexer: Lexer | None = None) -> None:
        self.descriptor = descriptor
        self.lexer = lexer
        self.places: dict[tuple[int, str], Token] = {}
        self.comments: dict[int, str] = {}
        self.imports: dict[str, Token] = {}
        self.map_entries: set[int] = set()
        self.json_names: set[int] = set()

    @property
    def name(self) -> str:
        return str(self.descriptor.name or "")

    def fail(self, problem: str, part: Any = None, what: str = "name") -> NoReturn:
        """Raise a ProtoError at a part of the file."""
        token = (
            part
            if isinstance(part, Token)
            else self.places.get((id(part), what)) or self.places.get((id(part), "name"))
        )
        if token is not None and self.lexer is not None:
            raise self.lexer.error(problem, token)
        raise ProtoError(problem, file=self.name)
