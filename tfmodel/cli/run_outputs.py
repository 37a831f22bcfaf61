"""The runs of `run`, and what it prints and writes of the outputs."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..analysis.choice import choose
from ..errors import GraphError, ModelError, RunError
from ..files.array_files import NotExported, folder_writer, npz_writer
from ..files.decoding import naming_damage
from ..interpreter.feed_sources import random_names
from ..interpreter.feeds import check_seed, feeds_needed, random_feeds
from ..interpreter.profiling import Profile, Trace, describe_value, type_of
from ..interpreter.session import Session
from ..kernels.runtime import KERNELS
from ..source.model_source import ModelSource
from ..values.names import node_name
from ..values.report import report_json
from ..values.terminal import align_columns, escape, shorten
from .input_options import parse_bindings, parse_feeds, parse_shapes, warn_of_zeros
from .messages import RequestError, tell, warn
from .output_options import is_archive
from .parser import given
from .progress import Progress

_MAX_LABEL = 200  # characters that are printed

_Best = Mapping[str, list[list[dict[str, Any]]]]
"""The best elements of each row of each output that is a vector or a batch of vectors."""


def run_model(args: Any, labels: Sequence[str] | None) -> None:
    """Run the model, and print or write the outputs. `labels` are the names of the classes that --top prints."""
    feeds = parse_feeds(args.feed, args.seed)
    fetches = [name for names in args.fetch or () for name in names.split(",") if name] or None
    trace = Trace(print_line=_print if args.trace else None) if args.trace or args.profile else None
    with Progress() as progress:
        try:
            results, seconds = _results(args, feeds, fetches, trace, progress)
        except (GraphError, ModelError, RunError) as error:
            raise RequestError(str(error), file=args.model) from error
    best = None if args.top is None else _find_best(results, args.top, labels, args.labels or "", args.model)
    profile = trace.profile(seconds) if trace is not None and args.profile else None
    if profile is not None and not args.json:
        _print(profile.to_text())
    if args.output:
        _write(args.output, results)
    if args.json:
        _print(_json(None if args.output and best is None else results, profile, best))
    elif not args.output or best is not None:
        for name, value in results.items():
            _print(f"{escape(name)}: {describe_value(value)}")
            for line in _best_lines((best or {}).get(name, ())):
                _print(line)


def _generate_feeds(
    session: Session, args: Any, feeds: Mapping[str, Any], fetches: Iterable[str] | None, *, seed: int | None
) -> dict[str, Any]:
    """Return random values for the tensors that the fetches need and `feeds` lacks."""
    fed = {session.tensor(name, session.inputs) for name in feeds}
    needed = [name for name in feeds_needed(session, fetches, feeds) if session.tensor(name, session.inputs) not in fed]
    max_bytes = getattr(args, "max_bytes", None)
    random = random_feeds(
        session, needed, shapes=parse_shapes(args), batch_size=args.batch_size, seed=seed, max_bytes=max_bytes
    )
    check_seed(seed, [*random, *random_names(feeds)], session)
    return random


def _results(
    args: Any, feeds: dict[str, Any], fetches: list[str] | None, trace: Trace | None, progress: Progress
) -> tuple[dict[str, Any], float]:
    """Return the fetched values, and the seconds that the run took."""
    progress.doing(f"reading {args.model}")
    model = ModelSource.of(args.model, checkpoint=args.checkpoint, signature=args.signature, tags=args.tags)
    model = model.with_functions().keeping_facts()
    bindings = parse_bindings(args)
    if args.random:
        bindings |= _bind_training_inputs(model, [*feeds, *bindings], fetches or ())
    session = Session(model, bind=bindings, files=args.files, log=tell, **given(args, "seed"))
    fetches = _fetches(session, fetches)
    with naming_damage(session.file):
        warn_of_zeros(args.model, session.graph)
        if args.random:
            feeds = feeds | _generate_feeds(session, args, feeds, fetches, seed=args.seed)
        else:
            check_seed(args.seed, random_names(feeds), session)
    progress.doing("running")
    assert len(KERNELS)  # imports the kernels, so that profiles do not count this import
    start = time.perf_counter()
    results = session.run(feeds, fetches, max_steps=args.max_steps, max_bytes=args.max_bytes, observer=trace)
    return results, time.perf_counter() - start


def _bind_training_inputs(model: ModelSource, fed: Iterable[str], fetches: Iterable[str]) -> dict[str, float]:
    """Print and return the values of inputs that only training sets, except those in `fed`."""
    nodes = {*map(node_name, fed)}
    with model.naming_damage():
        choice = choose(model, inputs=(), outputs=[*fetches] or None, bind=True, guess=True)
    ends = [end for end in choice.training if node_name(end.tensor) not in nodes]
    for end in ends:
        warn(f"bound: {end.binding}, {end.reason}")
    return {end.tensor: end.value for end in ends if end.value is not None}


def _fetches(session: Session, fetches: list[str] | None) -> list[str]:
    """Return the fetches, or else the outputs of the signature, or else the likely outputs, which are printed."""
    if fetches or session.outputs:
        return fetches or list(session.outputs)
    likely = session.default_fetches
    warn(f"outputs: {', '.join(likely)}, guessed: --fetch names others if that is wrong")
    return likely


def _write(target: str, results: dict[str, Any]) -> None:
    with npz_writer(target) if is_archive(target) else folder_writer(target) as add:
        for name, value in results.items():
            if value is None:
                continue
            try:
                add(name, value)
            except NotExported as error:
                warn(f"{escape(name)}: left out: {error}", "warning")


def _json(results: dict[str, Any] | None, profile: Profile | None, best: _Best | None) -> str:
    """Return JSON with types, shapes and best values of the results, and the profile. Arguments may be None."""
    outputs: dict[str, Any] = {}
    if results is not None:
        outputs["outputs"] = {
            name: None if value is None else {"dtype": type_of(value), "shape": _sizes(value)}
            for name, value in results.items()
        }
        for name, rows in (best or {}).items():
            outputs["outputs"][name]["top"] = rows
    if profile is not None:
        outputs["profile"] = asdict(profile)
    return report_json(outputs)


def _sizes(value: Any) -> list[int]:
    """Return the shape of an output; [] for one that is not a tensor."""
    return list(value.shape) if hasattr(value, "dtype") and hasattr(value, "ndim") else []


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


# --- --top -----------------------------------------------------------------------------------------------------------


def _find_best(results: Mapping[str, Any], count: int, labels: Sequence[str] | None, file: str, model: str) -> _Best:
    """Return index, value and label of the largest values of each vector; of equal ones, the first.

    Raises RequestError if no output is a vector, or if the number of labels differs from that of the values.
    """
    best: dict[str, list[list[dict[str, Any]]]] = {}
    for name, value in results.items():
        if not _is_vectors(value):
            continue
        size = value.shape[-1]
        if labels is not None and len(labels) != size:
            raise RequestError(_describe_misfit(name, size, len(labels)), file=file)
        rows = []
        for row in np.asarray(value).reshape(-1, size):
            numbers = np.flatnonzero(row == row)  # without NaN
            order = numbers[::-1][np.argsort(row[numbers][::-1], kind="stable")][::-1][:count]
            rows.append([_entry(index, row[index].item(), labels) for index in order.tolist()])
        best[name] = rows
    if not best:
        shapes = ", ".join(f"{escape(name)} {list(getattr(value, 'shape', ()))}" for name, value in results.items())
        raise RequestError(
            f"--top is for vectors of numbers, or batches of them, and no output is one: {shapes}", file=model
        )
    return best


def _is_vectors(value: Any) -> bool:
    """Return whether an output is a vector of numbers, or a batch of vectors; inner dimensions must be 1."""
    shape: tuple[int, ...] = getattr(value, "shape", ())
    dtype = getattr(value, "dtype", None)
    is_number = dtype is not None and dtype.kind in "biuf"
    return is_number and len(shape) > 0 and shape[-1] > 0 and math.prod(shape[1:-1]) == 1


def _entry(index: int, value: float, labels: Sequence[str] | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"index": index, "value": value if math.isfinite(value) else str(value)}
    return entry if labels is None else entry | {"label": labels[index]}


def _describe_misfit(name: str, size: int, count: int) -> str:
    problem = f"it has {count:,} labels, and {escape(name)} has {size:,} values"
    if size == count + 1:
        return f"{problem}: class 0 is probably the background, add a line for it at the beginning"
    if size == count - 1:
        return f"{problem}: the first label is probably the background, which this model does not have; remove it"
    return problem


def _best_lines(rows: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the rows of one output."""
    for number, row in enumerate(rows):
        if len(rows) > 1:
            yield f"  [{number}]"
        cells = [
            (f"{rank}.", _value_text(entry["value"]), str(entry["index"]), _label_text(entry.get("label", "")))
            for rank, entry in enumerate(row, 1)
        ]
        yield from align_columns(cells, right=[0, 1, 2], indent=2, widest=[60, 60, 60, 2 * _MAX_LABEL])


def _value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _label_text(label: str) -> str:
    return escape(shorten(label, _MAX_LABEL))
