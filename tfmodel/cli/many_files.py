"""Run `check`, `summarize` or `weights` on many files: several paths, and folders with everything below them.

A command has a `ManyFiles`, and calls `run_many` if `names_many` says so. Each model is one line, in the order of the
paths, as soon as it is done. Memory does not depend on the number of files: at most a few answers of each process wait
for their turn, and the line of a model is all that is kept of it.
"""

from __future__ import annotations

import importlib
import os
import sys
from argparse import ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pbwire.arguments import DONE, FAILED
from pbwire.colours import paint

from ..files.locate import is_model_folder
from ..files.model_search import Judgement, Kind, judge, walk
from ..values.report import Report, report_json
from ..values.terminal import escape
from .messages import UsageError, escape_message, explain_error, speaking_for, warn
from .parser import Parser, whole
from .progress import Progress
from .worker_pool import Lost, WorkerPool

MAX_JOBS = 256


class Place(NamedTuple):
    """A path to examine. It is named by the user, or found in a folder; `skipped` says why it is not opened."""

    path: str
    is_named: bool
    skipped: str = ""


class Answer(NamedTuple):
    """The result for one path.

    kind     what the path is; "broken": a model that cannot be read
    status   the exit status that this file alone would have
    text     the line to print; the reason for a file that is skipped
    """

    kind: Kind | str
    status: int = 0
    text: str = ""


Render: TypeAlias = Callable[[str, Report], str]
"""A form of output: returns the line for a path and its report."""

RenderError: TypeAlias = Callable[[str, str], str]
"""The same for a path and the message of its error."""


def _render_line(path: str, report: Report) -> str:
    return f"{escape(path)}: {escape(report.headline())}"


def _render_error_line(path: str, problem: str) -> str:
    first = next(iter(problem.splitlines()), "")
    return f"{escape(path)}: cannot be read: {escape_message(first)}"


def render_json(path: str, report: Report) -> str:
    """Return a line of JSON. A command prints the same for one model, so that its readers need not know how many."""
    return report_json({"path": path, **report.as_dict()}, in_one_line=True)


def _render_json_error(path: str, problem: str) -> str:
    return report_json({"path": path, "error": problem}, in_one_line=True)


LINES = (_render_line, _render_error_line)
JSON_LINES = (render_json, _render_json_error)


@dataclass(frozen=True, slots=True)
class ManyFiles:
    """The steps of a command for each of many files.

    examine         returns the report of a model, given the options and the path
    status          returns the exit status of a report, given the options
    takes_weights   whether the command takes weights without a graph
    takes_onnx      whether it takes models of ONNX
    refused         the options that are about one model, or would have no effect
    only_json       the options that change only the JSON
    forms           the forms of output by the options that choose them
    """

    examine: Callable[[Any, str], Report]
    status: Callable[[Any, Any], int] = lambda args, report: DONE
    takes_weights: bool = False
    takes_onnx: bool = False
    refused: tuple[str, ...] = ()
    only_json: tuple[str, ...] = ()
    forms: tuple[tuple[str, tuple[Render, RenderError]], ...] = (("json", JSON_LINES),)

    def takes(self, kind: Kind) -> bool:
        """Return whether the command examines files of this kind."""
        taken = {"model": True, "weights": self.takes_weights, "onnx": self.takes_onnx}
        return taken.get(kind, False)


def add_files(parser: Parser, *, nargs: str = "+", help: str) -> None:
    """Add the paths, and --jobs."""
    parser.add_argument("files", metavar="FILE", nargs=nargs, help=help)
    jobs_help = "examine all models in the folders in N processes; 0 is one for each CPU; the default is 1"
    parser.add_argument("--jobs", type=_jobs, metavar="N", help=jobs_help)


def _jobs(text: str) -> int:
    jobs = whole(text)
    if jobs > MAX_JOBS:
        raise ArgumentTypeError(f"at most {MAX_JOBS}, not {text}")
    return jobs


def names_many(many: ManyFiles, args: Any) -> bool:
    """Return whether the paths are many files: several of them, or a folder that is not itself a model.

    With --jobs, any folder is searched. A folder without models is left to the command, whose error says what it has.
    """
    if len(args.files) != 1:
        return len(args.files) > 1
    path = args.files[0]
    try:
        if not os.path.isdir(path) or (args.jobs is None and is_model_folder(path)):
            return False
    except OSError:
        return False
    return any(not place.skipped and many.takes(judge(place.path).kind) for place in walk(path))


def run_many(command: str, many: ManyFiles, args: Any, write: Callable[[Iterable[str]], None] | None = None) -> int:
    """Examine many files, print a line for each and the counts, and return the worst exit status.

    `write` takes the lines in place of standard output.
    """
    _check(many, args)
    tally = _Tally()
    with Progress(quiet=sys.stdout.isatty()) as progress:
        progress.doing(command, lambda: f"{tally.models:,} models")
        (write or _print)(_lines(command, many, args, tally))
    warn(tally.text())
    return tally.status


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def _check(many: ManyFiles, args: Any) -> None:
    """Refuse options that are about one model."""
    if "-" in args.files and len(args.files) > 1:
        raise UsageError('"-" is one model: give it alone')
    for name in many.refused:
        if getattr(args, name) not in (None, False, []):
            raise UsageError(f"--{name.replace('_', '-')} is for one model: leave it out, or name one file")
    for name in many.only_json:
        if getattr(args, name) not in (None, False, []) and not args.json:
            raise UsageError(f"--{name.replace('_', '-')} does not change the lines of several files: add --json")


def _lines(command: str, many: ManyFiles, args: Any, tally: _Tally) -> Iterator[str]:
    """Yield the lines of models in order, and count them."""
    render_error = _forms(many, args)[1]
    is_text = render_error is _render_error_line
    for place, answer in _answers(command, many, args, tally):
        if isinstance(answer, Lost):
            problem = f"the process that read it ended: {answer.reason}"
            answer = Answer("broken", FAILED, render_error(place.path, problem))
        kind, status, text = answer
        tally.count(kind, status)
        if kind == "skipped":
            warn(f"{escape(place.path)}: skipped: {text}", "warning")
        elif kind in ("model", "broken"):
            yield paint(text, "error", sys.stdout) if status != DONE and is_text else text


def _answers(command: str, many: ManyFiles, args: Any, tally: _Tally) -> Iterator[tuple[Place, Any]]:
    """Yield the answers for all paths and, if they hold no model, the errors of the folders that are named."""
    jobs = 1 if args.jobs is None else args.jobs or _cpus()
    if jobs == 1 or "-" in args.files:
        for place in _places(args.files):
            yield place, _answer(many, args, place)
    else:
        with WorkerPool(f"{__name__}:answerer", [command, vars(args)], jobs=jobs) as pool:
            yield from pool.map(_places(args.files))
    if not tally.models:
        for place in (Place(path, True) for path in args.files):
            yield place, _answer(many, args, place)


def _cpus() -> int:
    """Return the number of CPUs that this process may use."""
    if sys.platform != "win32" and hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _places(paths: Iterable[str]) -> Iterator[Place]:
    """Yield the paths that are named, and those that are found in folders."""
    for path in paths:
        if not os.path.isdir(path):
            yield Place(path, True)
            continue
        for found in walk(path):  # the folder itself, if it is a SavedModel or cannot be read
            yield Place(path, True) if found.path == path else Place(found.path, False, found.skipped)


def answerer(setup: tuple[str, dict[str, Any]]) -> Callable[[list[Any]], Answer]:
    """Return what answers places in a process of its own: the command, with its name and options as `setup`."""
    command, options = setup
    module = importlib.import_module(f".{command}", __package__)
    parser = Parser(prog=command)
    module.add_arguments(parser)
    args = Namespace(**options)

    def answer(place: list[Any]) -> Answer:
        with speaking_for(parser):
            return _answer(module.MANY, args, Place(*place))

    return answer


def _answer(many: ManyFiles, args: Any, place: Place) -> Answer:
    """Examine one path. No error of a file ends the run, not even a bug in tfmodel."""
    if place.skipped:
        return Answer("skipped", text=place.skipped)
    kind, reason = Judgement("model") if place.is_named else judge(place.path)
    if not many.takes(kind):
        return Answer(kind, text=reason)
    render, render_error = _forms(many, args)
    try:
        report = many.examine(args, place.path)
        return Answer("model", many.status(args, report), render(place.path, report))
    except Exception as error:
        problem = _problem(place.path, error)
        return Answer("broken", FAILED, render_error(place.path, problem))


def _forms(many: ManyFiles, args: Any) -> tuple[Render, RenderError]:
    return next((form for option, form in many.forms if getattr(args, option)), LINES)


def _problem(path: str, error: Exception) -> str:
    """Return the message of an error without the path that it begins with."""
    name = escape(path)
    if message := explain_error(name, error):
        return message.removeprefix(f"{name}:").lstrip()
    return f"tfmodel has a bug, which this file shows: {type(error).__name__}: {error}"


class _Tally:
    """The numbers of paths by kind, and the worst exit status so far."""

    def __init__(self) -> None:
        self.models = self.with_findings = 0
        self.status = DONE
        self._kinds = Counter[str]()

    def count(self, kind: str, status: int) -> None:
        self._kinds[kind] += 1
        self.models += kind in ("model", "broken")
        self.with_findings += kind == "model" and status != DONE
        self.status = max(self.status, status)

    def text(self) -> str:
        """Return the line "12 models, 2 with findings, 1 cannot be read; 30 other files, 1 skipped"."""
        models = [_count(self.models, "model", "models")]
        models += [f"{self.with_findings:,} with findings"] * bool(self.with_findings)
        models += [f"{self._kinds['broken']:,} cannot be read"] * bool(self._kinds["broken"])
        others = [_count(self._kinds[kind], *words) for kind, words in _OTHERS.items() if self._kinds[kind]]
        return "; ".join(filter(None, (", ".join(models), ", ".join(others))))


_OTHERS = {
    "other": ("other file", "other files"),
    "onnx": ("model of ONNX", "models of ONNX"),
    "weights": ("checkpoint without a graph", "checkpoints without a graph"),
    "skipped": ("skipped", "skipped"),
}
"""The kinds of paths that are not models, with the words for one and for several."""


def _count(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
