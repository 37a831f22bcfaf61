"""Checks: whether a candidate still shows the problem.

A check returns True or False, or None if it cannot tell, which counts as False.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from ...compare.verify import Comparison, Verification
from ...errors import Error, ModelError
from ...files.files import save
from ...interpreter import Session
from ...source.model_source import ModelSource
from ...values.names import TensorName
from ...values.terminal import quote
from .candidates import Candidate
from .values import Values

Check: TypeAlias = "Callable[[Candidate, Mapping[str, Any]], bool | None]"
"""A check of a candidate with the feeds for its inputs."""

CANNOT_TELL = 125  # as in git bisect
NOT_RUN = (126, 127)
_QUOTED = re.compile(r'"[^"]*"|[0-9][0-9,.]*|\[[^\]]*\]')


class FunctionCheck:
    """A Python function that takes a model and returns whether it shows the problem."""

    def __init__(self, function: Callable[[ModelSource], bool]) -> None:
        self._function = function

    def __call__(self, candidate: Candidate, feeds: Mapping[str, Any]) -> bool:
        return bool(self._function(ModelSource.of(candidate.graph)))


class CommandCheck:
    """A command that fails if the graph shows the problem.

    command    words as in a shell, without its features; {} is the path of the graph, {feeds} that of an .npz with the
               values of its inputs. Without {}, the path is the last argument
    match      a text that the output must have, so that another failure does not count
    timeout    seconds after which the command is ended, and cannot tell

    Status 0 means that the problem is gone, 125 that the command cannot tell, as in git bisect; any other status, and
    the end by a signal, that the graph shows the problem. Raises ModelError if the command cannot be started.
    """

    def __init__(self, command: str, *, match: str = "", timeout: float | None = None) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise ModelError(f"the command {quote(command)} is not complete: {error}") from None
        if not self._words:
            raise ModelError("the command is empty")
        self._match = match
        self._timeout = timeout

    def __call__(self, candidate: Candidate, feeds: Mapping[str, Any]) -> bool | None:
        with tempfile.TemporaryDirectory(prefix="tfmodel-") as folder:
            path, archive = os.path.join(folder, "graph.pb"), os.path.join(folder, "feeds.npz")
            save(candidate.graph, path)
            words = [word.replace("{feeds}", archive).replace("{}", path) for word in self._words]
            if any("{feeds}" in word for word in self._words):
                np.savez(archive, **{str(TensorName.parse(name)): value for name, value in feeds.items()})
            if not any("{}" in word for word in self._words):
                words.append(path)
            try:
                done = subprocess.run(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=self._timeout,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return None
            except OSError as error:
                raise ModelError(f"the command {quote(words[0])} cannot be started: {error.strerror}") from error
        if done.returncode in NOT_RUN:
            raise ModelError(f"the command {quote(words[0])} cannot be run: it ended with status {done.returncode}")
        if done.returncode == CANNOT_TELL:
            return None
        return done.returncode != 0 and self._match.encode() in done.stdout


class FailureCheck:
    """A run on NumPy that fails as that of the original does: with an error of the same words but for names."""

    def __init__(self) -> None:
        self.problem = ""

    def __call__(self, candidate: Candidate, feeds: Mapping[str, Any]) -> bool:
        try:
            Session(candidate.graph).run(dict(feeds), list(candidate.outputs))
        except Error as error:
            problem = _QUOTED.sub("_", str(error))
            self.problem = self.problem or problem
            return problem == self.problem
        return False


class DifferenceCheck:
    """Another value than in a model that is right.

    `reference` has the values of the right model. The outputs of a candidate differ if one of them differs by more than
    `rtol` times its largest element. `problem` is the error of the last run that failed.
    """

    def __init__(self, reference: Values, *, rtol: float | None = None) -> None:
        self._reference = reference
        self._comparison = Comparison(Verification(rtol=rtol))
        self.problem = ""

    def __call__(self, candidate: Candidate, feeds: Mapping[str, Any]) -> bool | None:
        try:
            values = Session(candidate.graph).run(dict(feeds), list(candidate.outputs))
        except Error as error:
            self.problem = str(error)
            return None
        return any(self.differs(TensorName.parse(name), values[name]) for name in candidate.outputs)

    def share(self, values: Mapping[TensorName, Any]) -> None:
        """Give tensors of the right model these values: random numbers are the same in both models."""
        self._reference.set(values)

    def differs(self, tensor: TensorName, value: Any) -> bool:
        """Return whether a value differs from that of the right model; False if that one has no such tensor."""
        expected = self._reference.get(tensor)
        if expected is None:
            return False
        with suppress(Error, TypeError, ValueError):
            return not self._comparison.difference(tensor.numbered, expected, value).within
        return True


def check_of(
    check: str | Callable[[ModelSource], bool] | None,
    other: ModelSource | None,
    sample: Mapping[str, Any],
    match: str,
    timeout: float | None,
    rtol: float | None,
) -> Check:
    """Return one of the checks: of a function or command, of the difference to `other`, or else of a failed run."""
    if isinstance(check, str):
        return CommandCheck(check, match=match, timeout=timeout)
    if match or timeout is not None:
        raise ModelError("match and timeout are for a command")
    if check is not None:
        return FunctionCheck(check)
    if other is None:
        return FailureCheck()
    nodes = {node.name for node in other.graph.node}
    fed = {name: value for name, value in sample.items() if TensorName.parse(name).node in nodes}
    return DifferenceCheck(Values(Session(other.graph), fed), rtol=rtol)
