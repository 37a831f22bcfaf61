"""The answers of checks, kept in a file, so that a search can be ended and continued."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from pbwire.atomic import writable

from ...errors import FileFormatError, with_name
from ...files.access.special_files import open_regular
from ...files.access.stand_ins import refuse_stand_in
from ...values.terminal import escape
from .candidates import Candidate

_VERSION = 1
_MAX_SIZE = 1 << 30  # bytes of a file; an answer takes 72


class Answers:
    """Answers by the hash of the candidate.

    path    the file; "" keeps the answers in memory
    key     what the answers depend on besides the candidate: the command, the other model, the feeds

    Raises FileFormatError for a file of another kind, or of another search, and OSError.
    """

    def __init__(self, path: str, key: str) -> None:
        self._path = path
        self._key = hashlib.sha256(key.encode()).hexdigest()
        self._answers: dict[str, bool] = {}
        if path and os.path.lexists(path):
            self._read()

    def _read(self) -> None:
        try:
            with open_regular(self._path) as file:
                data = file.read(_MAX_SIZE)
            refuse_stand_in(self._path, data)
            content = json.loads(data)
            if content["version"] != _VERSION or not isinstance(content["answers"], dict):
                raise ValueError
            key = content["key"]
            answers = {str(digest): bool(answer) for digest, answer in content["answers"].items()}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FileFormatError(
                with_name(escape(self._path), "this is not a file with the state of a reduction")
            ) from None
        if key != self._key:
            problem = "this is the state of another reduction: another model, check, or feeds; name another file"
            raise FileFormatError(with_name(escape(self._path), problem))
        self._answers = answers

    @staticmethod
    def digest(candidate: Candidate, feeds: Mapping[str, Any]) -> str:
        """Return the hash of a candidate with the values of its inputs."""
        content = hashlib.sha256(candidate.graph.to_bytes(deterministic=True))
        content.update(json.dumps(candidate.outputs).encode())
        for name in sorted(feeds):
            array = np.asarray(feeds[name])
            content.update(f"{name} {array.dtype} {array.shape} ".encode())
            content.update(repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes())
        return content.hexdigest()

    def get(self, digest: str) -> bool | None:
        """Return the answer for a candidate; None if it is not known."""
        return self._answers.get(digest)

    def put(self, digest: str, answer: bool) -> None:
        """Keep an answer, in the file too."""
        self._answers[digest] = answer
        if self._path:
            content: Mapping[str, Any] = {"version": _VERSION, "key": self._key, "answers": self._answers}
            with writable(self._path) as file:
                file.write(json.dumps(content).encode())
