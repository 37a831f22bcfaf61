"""The runs of `verify`, and of `transform --verify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..compare.verify import Verification
from ..compare.verify.model_pair import Matched, Pair
from ..compare.verify.report import VerifyReport
from ..compare.verify.verification import verify_sessions
from ..export.onnx.comparing import verify_onnx
from ..files.decoding import naming_damage
from ..interpreter.feed_sources import random_names
from ..interpreter.feeds import check_seed
from ..messages import GraphDef
from ..source.model_source import ModelSource
from ..transforms.constant_folding.run_budget import RunBudget
from ..values.terminal import quote
from .input_options import parse_bindings, parse_feeds, parse_shapes
from .messages import RequestError, UsageError, warn
from .progress import Progress


def compare_models(args: Any) -> VerifyReport:
    """Run the two models of `verify`, and compare their outputs."""
    with Progress() as progress:
        progress.doing(f"reading {args.a} and {args.b}")
        feeds = parse_feeds(args.feed, args.seed)
        matched = _match(args, feeds)
        budget = RunBudget.of(
            matched.first.graph, matched.second.graph, exceeded=lambda text: warn(f"verify: {text}; it is run anyway")
        )
        verification = _verification(args, feeds, budget)
        random, notes = _random_inputs(args, matched, verification)
        progress.doing("running both")
        runs = [feeds | values for values in random]
        return verify_sessions(
            matched,
            runs,
            verification,
            bisect=args.bisect,
            made_up=list(random[0]),
            notes=notes,
            progress=progress.each("") if progress.is_shown else None,
        )


def compare_with_onnx(args: Any) -> VerifyReport:
    """Run the model of `verify` on NumPy and the ONNX model by onnxruntime, and compare their outputs."""
    for option, value in {"--runs": args.runs != 1, "--bisect": args.bisect}.items():
        if value:
            raise UsageError(f"{option} does not go with an ONNX model: leave it out")
    inputs, outputs = list(_names(args.inputs, "--inputs")), list(_names(args.outputs, "--outputs"))
    with Progress() as progress:
        progress.doing(f"reading {args.a} and {args.b}")
        feeds = parse_feeds(args.feed, args.seed)
        source = ModelSource.of(args.a, checkpoint=args.checkpoint, signature=args.signature, tags=args.tags)
        budget = RunBudget.of(source.graph, exceeded=lambda text: warn(f"verify: {text}; it is run anyway"))
        verification = _verification(args, feeds, budget)
        progress.doing("running both")
        return verify_onnx(
            source, args.b, inputs, outputs, bind=parse_bindings(args) or True, verification=verification
        )


def _match(args: Any, feeds: Mapping[str, Any]) -> Matched:
    """Open both models, and match their inputs and outputs."""
    options = {"checkpoint": args.checkpoint, "signature": args.signature, "tags": args.tags, "seed": args.seed or 0}
    outputs = _names(args.outputs, "--outputs") or None
    inputs = _names(args.inputs, "--inputs") if args.inputs is not None else None
    return Pair(args.a, args.b, **options).match(outputs, inputs, feeds, bind=parse_bindings(args))


def _verification(args: Any, feeds: Mapping[str, Any], budget: RunBudget) -> Verification:
    return Verification(
        feeds,
        rtol=args.rtol,
        atol=args.atol,
        shapes=parse_shapes(args),
        batch_size=args.batch_size,
        seed=args.seed,
        max_steps=args.max_steps,
        max_bytes=args.max_bytes,
        watch=budget.spend,
    )


def _random_inputs(args: Any, models: Matched, verification: Verification) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the random inputs of each run, and notes on their shapes."""
    random: list[dict[str, Any]] = []
    notes: list[str] = []
    with naming_damage(models.first.file, models.second.file):
        for number in range(args.runs):
            seed = args.seed if not number else (args.seed or 0) + number
            values, notes = models.generate_inputs(replace(verification, seed=seed))
            check_seed(seed, [*values, *random_names(verification.feeds or {})], models.first)
            if args.runs > 1 and not values:
                raise RequestError("--runs varies the random inputs, but there are none: leave it out")
            random.append(values)
    return random, notes


def _names(text: str | None, option: str) -> dict[str, str]:
    """Return the names in B by the names in A, from names and FIRST=SECOND, separated by commas."""
    names: dict[str, str] = {}
    for part in filter(None, (text or "").split(",")):
        first, equals, second = part.partition("=")
        if not first:
            raise UsageError(f"{option} takes names and FIRST=SECOND, not {quote(part)}")
        if first in names:
            raise UsageError(f"{option} names {quote(first)} twice")
        names[first] = second if equals else first
    return names


def verification_of(args: Any, graph: GraphDef) -> Verification:
    """Return the feeds and the tolerance of `transform --verify`."""
    budget = RunBudget.of(graph, exceeded=lambda text: warn(f"verifying: {text}; without --verify, nothing is run"))
    return Verification(parse_feeds(args.feed, args.seed), rtol=args.rtol, seed=args.seed, watch=budget.spend)
