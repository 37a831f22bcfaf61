"""A `Summary` as text: the most important facts first, the suggested commands last."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...analysis.endpoints.endpoints import Endpoint
from ...analysis.shapes import Shape
from ...source.signature_defs import DEFAULT_FUNCTION, DEFAULT_SIGNATURE, SignatureFacts
from ...starting import command_prefix
from ...values.terminal import align_columns, escape

if TYPE_CHECKING:
    from .report import OpFacts, OpUse, Summary, Values

DECLARATIONS = "OPS.pbtxt"
"""The name in suggested commands for a file that declares ops, if there is no such file yet."""

_MAX_ENDS = 10
_MAX_BRIEF_ENDS = 4
_BRIEF_LABEL = 13
_MAX_NAMES = 5
_MAX_FUNCTIONS = 10
_MAX_PROBLEMS = 10
_MAX_FLAGS = 8
_MAX_WIDTHS = (48, 32, 24)


def summary_lines(summary: Summary) -> Iterator[str]:
    """Yield the lines of the text."""
    no_outputs = _no_outputs(summary)
    sections = (
        _heading(summary),
        _problems(summary),
        *map(_signature, summary.signatures),
        _ends("inputs, likeliest first", summary.inputs, "nothing is fed, and nothing takes data from a queue"),
        _ends("outputs, likeliest first", summary.outputs, no_outputs),
        _set_aside(summary),
        _contents(summary),
        _op_table(summary),
        _values(summary),
        _functions(summary),
        _unsupported_ops(summary),
        _structure(summary),
        suggested_commands(summary),
    )
    is_first = True
    for section in sections:
        lines = list(section)
        if lines and not is_first:
            yield ""
        is_first = is_first and not lines
        yield from lines


def brief_lines(summary: Summary) -> Iterator[str]:
    """Yield the lines of the brief text: inputs, outputs, parameters, ops, cost, and what to do next."""
    yield next(_heading(summary))
    if summary.problems:
        more = f"; and {len(summary.problems) - 1:,} more" if len(summary.problems) > 1 else ""
        yield f"problem: {escape(summary.problems[0])}{more}"
    if summary.signatures:
        yield from _brief_line("signatures", _list_names(signature.name for signature in summary.signatures))
    yield from _brief_ends("inputs", summary.inputs)
    yield from _brief_ends("outputs", summary.outputs)
    for end in summary.inputs:
        if end.value is not None:
            yield from _brief_line("training", escape(f"{end.name} = {end.value:g}, {end.reason}"))
    for label, text in _brief_facts(summary):
        yield from _brief_line(label, text)
    yield from _brief_commands(summary)


def headline(summary: Summary) -> str:
    """Return the line "GraphDef: 4 nodes, 64 parameters, x float32[?,64] -> y float32[?,1]"."""
    facts = [count_text(summary.nodes + summary.function_nodes, "node"), count_text(summary.parameters, "parameter")]
    facts += [f"{_line_of_ends(summary.inputs)} -> {_line_of_ends(summary.outputs)}"]
    if summary.unsupported:
        facts += [f"not supported: {_list_names(use.op for use in summary.unsupported)}"]
    problems = f"; {count_text(len(summary.problems), 'problem')}" if summary.problems else ""
    return f"{summary.what}: {', '.join(facts)}{problems}"


def _line_of_ends(ends: Sequence[Endpoint]) -> str:
    """Return the likely inputs or outputs in one line: "x float32[?,64], y int32[]"."""
    likely = [f"{escape(end.name)} {_type(end.dtype, end.shape)}" for end in ends if end.is_likely]
    more = len(likely) - _MAX_BRIEF_ENDS
    shown = likely[:_MAX_BRIEF_ENDS] + [f"{more:,} more"] * (more > 0)
    return ", ".join(shown) or ("(not certain)" if ends else "(none)")


def _brief_line(label: str, text: str) -> Iterator[str]:
    return align_columns([(f"{label:{_BRIEF_LABEL}}", text)], indent=2, wrapped=True)


def _brief_ends(label: str, ends: Sequence[Endpoint]) -> Iterator[str]:
    """Yield a line for each likely input or output."""
    likely = [end for end in ends if end.is_likely]
    if not likely:
        yield from _brief_line(label, f"not certain: {_list_names(end.name for end in ends)}" if ends else "none")
    rows = [(escape(end.name), _type(end.dtype, end.shape)) for end in likely[:_MAX_BRIEF_ENDS]]
    for line in align_columns(rows, widest=_MAX_WIDTHS, names=(0,), whole_names=True):
        yield from _brief_line(label, line)
        label = ""
    if len(likely) > _MAX_BRIEF_ENDS:
        yield from _brief_line("", f"and {len(likely) - _MAX_BRIEF_ENDS:,} more")
    if likely and not all(end.is_certain for end in likely):
        yield from _brief_line("", escape(f"not certain ({likely[0].confidence:.0%}): {likely[0].reason}"))


def _brief_facts(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield the rows of parameters, ops, FLOPs and of what keeps the model from being run."""
    size = f" ({summary.parameter_bytes:,} bytes)" if summary.parameters else ""
    yield "parameters", f"{summary.parameters:,}{size}"
    ops = [row for row in summary.ops if row.nodes]
    working = [row for row in ops if row.parameters or row.flops or row.is_open] or ops
    shown = [f"{row.op} {row.nodes:,}" for row in working[:_MAX_NAMES]]
    yield "ops", escape(", ".join(shown) + ", ..." * (len(ops) > len(shown)))
    yield "nodes", _node_counts(summary)
    if summary.flops or summary.unshaped:
        yield "FLOPs", _at_least(summary.flops, summary.unshaped) + _at_batch(summary) + _not_counted(summary)
    if summary.no_kernel:
        yield "runs on NumPy", f"no: there is no kernel for {_list_names(use.op for use in summary.no_kernel)}"
    if summary.zero_weights:
        yield "zero weights", summary.zero_weights
    if summary.missing_weights:
        yield "weights", summary.missing_weights


def _node_counts(summary: Summary) -> str:
    """Return `29, and 122 in 14 functions; 9 compute the outputs`."""
    inside = f", and {summary.function_nodes:,} in {count_text(len(summary.functions), 'function')}"
    is_part = summary.output_names and summary.needed_nodes < summary.nodes + summary.function_nodes
    outputs = f"; {summary.needed_nodes:,} compute the outputs" if is_part else ""
    return f"{summary.nodes:,}{inside if summary.functions else ''}{outputs}"


def _not_counted(summary: Summary) -> str:
    """Return `; without MyOp 2, Qr 1`: the ops without a rule, which may cost more than all others."""
    rows = _without_rule(summary)
    return f"; without {_list_names(f'{row.op} {row.nodes:,}' for row in rows)}" if rows else ""


def _without_rule(summary: Summary) -> list[OpFacts]:
    return [row for row in summary.ops if row.flops is None and row.nodes]


def _at_batch(summary: Summary) -> str:
    return f" at batch {summary.flops_batch}" if summary.flops_batch is not None else ""


def _brief_commands(summary: Summary) -> Iterator[str]:
    """Yield the command that is most likely wanted, and the one with the rest of the summary.

    Where `optimize` would fail, the first command leads to the reason.
    """
    file = "MODEL" if summary.name in ("", "<stdin>", "<bytes>") else shlex.quote(summary.name)
    tags = f" --tags {shlex.quote(','.join(summary.tags))}" if summary.other_tags else ""
    has_variables = any(row.kind == "variable" for row in summary.values)
    checkpoint = " --checkpoint PREFIX" if has_variables and not summary.checkpoint and not summary.signatures else ""
    words = [f"optimize {file}{tags}{checkpoint}", *_selection(summary), *_declarations(summary), "-o small.pb"]
    optimize = f"{command_prefix()} {' '.join(words)}"
    undeclared = _undeclared(summary)
    if not summary.nodes + summary.function_nodes:
        yield escape(f"next: {command_prefix()} dump {file}")
    elif summary.problems:
        yield escape(f"next: {command_prefix()} check {file}{tags}")
    elif undeclared:
        yield escape(f"next: {command_prefix()} draw {file}{tags} -o model.html")
        yield escape(f"with a file that declares {', '.join(undeclared[:_MAX_NAMES])}: {optimize}")
    else:
        yield escape(f"next: {optimize}")
    yield escape(f"more: {command_prefix()} summarize {file}{tags} --all")


def _undeclared(summary: Summary) -> list[str]:
    """Return the ops that the outputs need and nothing declares: TensorFlow refuses a graph with them."""
    needed = {row.op for row in summary.ops if row.nodes}
    return [use.op for use in summary.unknown_ops if use.op in needed]


def _declarations(summary: Summary) -> list[str]:
    """Return the options with declarations of ops that commands which write a graph need."""
    files = [*summary.op_defs, *[DECLARATIONS] * bool(_undeclared(summary))]
    return [f"--op-defs {shlex.quote(file)}" for file in dict.fromkeys(files)]


def _selection(summary: Summary) -> list[str]:
    """Return the options that select the outputs, as far as commands need them: a signature, or names of tensors."""
    with_outputs = [signature.name for signature in summary.signatures if signature.outputs]
    names = [signature.name for signature in summary.signatures]
    default = next((name for name in (DEFAULT_SIGNATURE, DEFAULT_FUNCTION) if name in names), None)
    if default is None and len(names) > 1 and with_outputs:
        option = "--function" if summary.calls_functions else "--signature"
        return [f"{option} {shlex.quote(with_outputs[0])}"]
    is_certain = summary.output_names and all(end.is_certain for end in summary.outputs if end.is_likely)
    if (default or names[0]) in with_outputs if names else is_certain:
        return []
    return [_flag("--outputs", summary.output_names) or "--outputs NAME"]


def _no_outputs(summary: Summary) -> str:
    if not summary.nodes:
        return "there are no nodes"
    aside = ", apart from auxiliary nodes" if summary.set_aside else ""
    return f"no node computes a result that no other node uses{aside}"


def count_text(count: int, thing: str) -> str:
    """Return `1 node`, `1,234 nodes`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _heading(summary: Summary) -> Iterator[str]:
    parts = [summary.what]
    if summary.what != "GraphDef":
        parts.append(f"tags {','.join(summary.tags) or '(none)'}")
    if summary.written_by:
        parts.append(f"written by TensorFlow {summary.written_by}")
    if summary.producer:
        parts.append(f"GraphDef version {summary.producer}")
    if summary.min_consumer:
        parts.append(f"for readers from version {summary.min_consumer}")
    parts.append(f"for TensorFlow {summary.needs.release} or later")
    yield escape(", ".join(parts))
    if summary.needs.because:
        yield escape(f"new in TensorFlow {summary.needs.release}: {_list_names(summary.needs.because)}")
    if summary.other_tags:
        others = "; ".join(",".join(tags) or "(none)" for tags in summary.other_tags)
        yield escape(f"there are other MetaGraphs, which --tags chooses: {others}")
    if summary.checkpoint:
        yield escape(summary.checkpoint)


def _problems(summary: Summary) -> Iterator[str]:
    if summary.problems:
        yield f"{count_text(len(summary.problems), 'problem')}:"
        yield from (f"  {escape(problem)}" for problem in summary.problems[:_MAX_PROBLEMS])
        if len(summary.problems) > _MAX_PROBLEMS:
            yield f"  and {len(summary.problems) - _MAX_PROBLEMS:,} more"


# --- signatures, inputs and outputs ----------------------------------------------------------------------------------


def _signature(signature: SignatureFacts) -> Iterator[str]:
    method = f" ({signature.method})" if signature.method else ""
    yield escape(f"signature {signature.name}{method}")
    sides = [("input", tensor) for tensor in signature.inputs] + [("output", tensor) for tensor in signature.outputs]
    rows = [(side, escape(info.name), _type(info.dtype, info.shape), escape(info.tensor)) for side, info in sides]
    yield from align_columns(rows, widest=_MAX_WIDTHS, names=(1,), whole_names=True, indent=2)


def _ends(heading: str, ends: Sequence[Endpoint], without: str) -> Iterator[str]:
    yield f"{heading}:" if ends else f"{heading.partition(',')[0]}: none; {without}"
    first_ends = ends[:_MAX_ENDS]
    rows = [
        (escape(end.name), escape(end.op), _type(end.dtype, end.shape), escape(", ".join(end.reasons)))
        for end in first_ends
    ]
    yield from align_columns(rows, widest=_MAX_WIDTHS, names=(0,), whole_names=True, wrapped=True, indent=2)
    if len(ends) > len(first_ends):
        yield f"  and {len(ends) - len(first_ends):,} more"


def _type(dtype: str, shape: Shape | None) -> str:
    """Return `float32[?,4]`; `float32` alone if the rank is unknown."""
    return dtype if shape is None else f"{dtype}[{','.join('?' if size is None else str(size) for size in shape)}]"


def _set_aside(summary: Summary) -> Iterator[str]:
    if summary.set_aside:
        yield "auxiliary nodes, not needed for outputs:"
        rows = [(group.what, count_text(group.nodes, "node"), _list_names(group.ends)) for group in summary.set_aside]
        yield from align_columns(rows, indent=2, right=(1,), wrapped=True)


# --- contents --------------------------------------------------------------------------------------------------------


def _contents(summary: Summary) -> Iterator[str]:
    yield from align_columns(list(_facts(summary)), wrapped=True)


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "nodes", _node_counts(summary)
    order = f", and {summary.control_edges:,} that only order execution" if summary.control_edges else ""
    yield "edges", f"{summary.edges:,}{order}"
    yield "control flow", _control_flow(summary)
    if summary.devices:
        custom = [device.name for device in summary.devices if device.is_custom]
        shown = [f"{device.name} ({device.nodes:,})" for device in summary.devices[:_MAX_NAMES]]
        more = [f"and {len(summary.devices) - _MAX_NAMES:,} more"] if len(summary.devices) > _MAX_NAMES else []
        yield "devices", escape(", ".join(shown + more))
        if custom:
            yield "custom devices", _list_names(custom)
    for heading, ops in (("unknown ops", summary.unknown_ops), ("custom ops", summary.custom_ops)):
        if ops:
            yield heading, _uses(ops)
    if summary.no_kernel is not None:
        elsewhere = escape(", ".join(use.op for use in summary.no_kernel_elsewhere[:_MAX_NAMES]))
        ellipsis = ", ..." * (len(summary.no_kernel_elsewhere) > _MAX_NAMES)
        note = f" (without a kernel, and not needed for the outputs: {elsewhere}{ellipsis})"
        runs = f"no: there is no kernel for {_uses(summary.no_kernel)}" if summary.no_kernel else "yes"
        yield "runs on NumPy", runs + note * bool(summary.no_kernel_elsewhere)
    if summary.zero_weights:
        yield "zero weights", summary.zero_weights
    if summary.missing_weights:
        yield "weights", summary.missing_weights
    for row in summary.quantized:
        saved = (
            f"{count_text(row.count, 'weight')} of {row.dtype}, {row.bytes:,} bytes instead of {row.bytes_as_float32:,}"
        )
        yield "quantized", f"{saved}; {row.parameters:,} of {count_text(summary.parameters, 'parameter')}"
    if summary.collections:
        yield "collections", escape(", ".join(f"{name} ({count:,})" for name, count in summary.collections.items()))


def _control_flow(summary: Summary) -> str:
    flow = summary.control_flow
    parts = []
    if flow.loops:
        names = [f"{name} ({count:,})" for name, count in list(flow.loops.items())[:_MAX_NAMES]]
        more = ", ..." if len(flow.loops) > _MAX_NAMES else ""
        parts.append(f"{count_text(len(flow.loops), 'loop')} of TensorFlow 1: {', '.join(names)}{more}")
    if flow.conditionals:
        parts.append(f"{count_text(flow.conditionals, 'condition')} of TensorFlow 1")
    parts += [f"{count:,} {op}" for op, count in flow.functional.items()]
    return escape("; ".join(parts)) or "none"


def _uses(ops: Sequence[OpUse]) -> str:
    """Return `Foo (2: a, b), Bar (1: c)`."""
    shown = [f"{use.op} ({use.nodes:,}: {', '.join(use.first)}{', ...' * (use.nodes > len(use.first))})" for use in ops]
    more = [f"and {len(ops) - _MAX_NAMES:,} more"] if len(ops) > _MAX_NAMES else []
    return escape(", ".join(shown[:_MAX_NAMES] + more))


def _op_table(summary: Summary) -> Iterator[str]:
    if not summary.ops:
        return
    heading = f"FLOPs{_at_batch(summary)}"
    total = _at_least(summary.flops, summary.unshaped)
    rows = [("op", "nodes", "of", "parameters", heading, ""), *map(_op_row, summary.ops)]
    all_nodes = sum(row.all_nodes for row in summary.ops)
    rows.append(("all", f"{summary.needed_nodes:,}", f"{all_nodes:,}", f"{summary.parameters:,}", total, ""))
    if summary.needed_nodes == all_nodes:
        rows = [(row[0], row[1], *row[3:]) for row in rows]
    yield from (line.rstrip() for line in align_columns(rows, right=range(1, len(rows[0]) - 1), widest=(40,)))
    if summary.needed_nodes < all_nodes:
        yield "nodes, parameters and FLOPs are those that the likely outputs need"
    if summary.unshaped:
        is_open = any(end.shape is None or None in end.shape for end in summary.inputs if end.is_likely)
        advice = "; give --batch-size or --shape" if is_open else ""
        yield f"FLOPs are incomplete: the shapes of {count_text(summary.unshaped, 'node')} are not known{advice}"
    if without_rule := _without_rule(summary):
        yield f"FLOPs do not include ops without a rule: {_list_names(row.op for row in without_rule)}"


def _at_least(flops: int, unshaped: int) -> str:
    return "?" if unshaped and not flops else f"{'>= ' if unshaped else ''}{flops:,}"


def _op_row(row: OpFacts) -> tuple[str, ...]:
    flops = f"{row.flops:,}" if row.flops else "?" if row.unshaped or (row.nodes and row.flops is None) else ""
    parameters = f"{row.parameters:,}" if row.parameters else ""
    note = f"without {count_text(row.unshaped, 'node')} of unknown shape" if row.unshaped and row.flops else ""
    nodes = f"{row.nodes:,}" if row.nodes else ""
    return escape(row.op), nodes, f"{row.all_nodes:,}", parameters, flops, note


def _values(summary: Summary) -> Iterator[str]:
    if summary.values:
        headings = ("", "count", "elements", "bytes", "")
        rows = [headings, *map(_value_row, summary.values)]
        size = sum(row.bytes for row in summary.values)
        elements = sum(row.elements for row in summary.values)
        rows.append(("all", f"{sum(row.count for row in summary.values):,}", f"{elements:,}", f"{size:,}", ""))
        yield from (line.rstrip() for line in align_columns(rows, right=(1, 2, 3)))


def _value_row(row: Values) -> tuple[str, str, str, str, str]:
    note = f"without {row.unknown:,} of unknown shape" if row.unknown else ""
    plural = f"{row.kind}s of {row.dtype}"
    return plural, f"{row.count:,}", f"{row.elements:,}", f"{row.bytes:,}", note


def _functions(summary: Summary) -> Iterator[str]:
    if summary.functions:
        shown = summary.functions[:_MAX_FUNCTIONS]
        rows = [(f"{row.nodes:,}", f"{row.calls:,}", escape(row.name)) for row in shown]
        yield from align_columns([("nodes", "calls", "function"), *rows], right=(0, 1))
        if len(summary.functions) > _MAX_FUNCTIONS:
            yield f"and {len(summary.functions) - _MAX_FUNCTIONS:,} smaller ones"


def _unsupported_ops(summary: Summary) -> Iterator[str]:
    if summary.unsupported is None:
        return
    if not summary.unsupported:
        yield "supported ops: all that this model needs are in the list"
        return
    count = sum(use.nodes for use in summary.unsupported)
    ops, nodes = count_text(len(summary.unsupported), "op"), count_text(count, "node")
    yield f"not in the list of supported ops: {ops} of {nodes}"
    rows = [
        (escape(use.op), f"{use.nodes:,}", escape(", ".join(use.first)) + ", ..." * (use.nodes > len(use.first)))
        for use in summary.unsupported
    ]
    yield from align_columns(rows, indent=2, widest=_MAX_WIDTHS, right=(1,))


def _structure(summary: Summary) -> Iterator[str]:
    if summary.structure:
        yield "structure:"
        yield from (f"  {line}" for line in summary.structure)


# --- suggested commands ----------------------------------------------------------------------------------------------


def suggested_commands(summary: Summary) -> Iterator[str]:
    """Yield a heading and the commands to go on with, indented; nothing without outputs."""
    if not summary.output_names:
        return
    file = "MODEL" if summary.name in ("", "<stdin>", "<bytes>") else shlex.quote(summary.name)
    tags = ["--tags", shlex.quote(",".join(summary.tags))] if summary.other_tags else []
    needed = [end.binding for end in summary.inputs if end.value is not None]
    bindings = [f"--bind {shlex.quote(binding)}" for binding in (*summary.bound, *needed)[:_MAX_FLAGS]]
    inputs, outputs = _flag("--inputs", summary.input_names), _flag("--outputs", summary.output_names)
    declarations = _declarations(summary)
    yield "next steps:"
    if undeclared := _undeclared(summary):
        yield escape(f"  {DECLARATIONS} has to declare {_list_names(undeclared)}")
    source = file
    if any(row.kind == "variable" for row in summary.values):
        source = "frozen.pb"
        checkpoint = [] if summary.checkpoint else ["--checkpoint PREFIX"]
        words = [
            f"  {command_prefix()} freeze",
            file,
            *checkpoint,
            *tags,
            *(_selection(summary) if summary.signatures else [outputs]),
            *declarations,
        ]
        yield escape(" ".join([*words, *bindings, "-o", source]))
        tags, bindings = [], []
    # Folding would replace quantized constants by floats, which take four times the space.
    folding = "fold_constants(exclude_op=Dequantize)" if summary.quantized else "fold_constants"
    yield escape(
        " ".join(
            filter(
                None,
                [
                    f"  {command_prefix()} transform",
                    source,
                    *tags,
                    "-o out.pb",
                    inputs,
                    outputs,
                    *bindings,
                    *declarations,
                    f"--transforms='strip_unused_nodes {folding}'",
                ],
            )
        )
    )
    for side, names in (("inputs", summary.input_names), ("outputs", summary.output_names)):
        if len(names) > _MAX_FLAGS:
            yield f"  with the first {_MAX_FLAGS} of {len(names):,} likely {side}"


def _flag(flag: str, names: Sequence[str]) -> str:
    return f"{flag}={shlex.quote(','.join(names[:_MAX_FLAGS]))}" if names else ""


def _list_names(names: Iterable[str]) -> str:
    all_names = list(names)
    more = [f"and {len(all_names) - _MAX_NAMES:,} more"] if len(all_names) > _MAX_NAMES else []
    return escape(", ".join(all_names[:_MAX_NAMES] + more))
