"""Event files of TensorBoard: odd values in every field of an event, read by every command that takes such files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import NoReturn

from hypothesis import strategies as st

from fuzz.command_line import run_command
from fuzz.target import Case, Files, Target
from tests.support.strategies import messages
from tests.tfmodel.files.records.files import event_file, record_file, training_log
from tfmodel.messages import DataType, Event, Summary, SummaryMetadata, TensorProto

COMMANDS = (
    "events FILE",
    "events FILE --json",
    "events FILE --tag *",
    "events FILE --tag * --json",
    "summarize FILE",
    "records FILE",
    "dump FILE --records 0:3 --format tree",
)

PLUGINS = (
    "scalars",
    "histograms",
    "images",
    "audio",
    "text",
    "hparams",
    "graph_keras_model",
    "graph_run_metadata",
    "?",
)
TIMES = (0.0, -1.0, 1e18, -1e300, 253402300800.0, math.inf, -math.inf, math.nan)
KERAS = (
    b'{"class_name": "Sequential", "config": {"layers": [{"class_name": "Dense", "config": null}]}}',
    b'{"config": {"layers": [{"name": "a", "inbound_nodes": [[["b", 0, 0, {}]]]}, 7, []], "input_layers": {}}}',
    b'{"config": [NaN, 1e999]}',
    b"[" * 2000,
)


def seeds() -> Iterator[Files]:
    yield {"events.out.tfevents.1": training_log()}


def strategy() -> st.SearchStrategy[Files]:
    tensors = messages(TensorProto, nan=True) | st.sampled_from(KERAS).map(
        lambda text: TensorProto(dtype=DataType.DT_STRING, string_val=[text])
    )
    plugins = st.builds(
        lambda name, data: SummaryMetadata.PluginData(plugin_name=name, content=data), _names(), _data()
    )
    metadata = st.none() | plugins.map(lambda plugin: SummaryMetadata(plugin_data=plugin)) | messages(SummaryMetadata)
    tensor_values = st.builds(
        lambda tag, t, m: Summary.Value(tag=tag, tensor=t, metadata=m), _names(), tensors, metadata
    )
    values = st.lists(tensor_values | messages(Summary.Value, nan=True), max_size=4)
    summaries = st.builds(
        lambda time, step, value: Event(wall_time=time, step=step, summary=Summary(value=value)),
        st.sampled_from(TIMES) | st.floats(),
        st.integers(-(1 << 63), (1 << 63) - 1),
        values,
    )
    events = st.lists(summaries | messages(Event, nan=True), min_size=1, max_size=6)
    encoded = events.map(lambda many: record_file(event.to_bytes() for event in many))
    return (encoded | events.map(lambda many: event_file(*many))).map(lambda data: {"events.out.tfevents.1": data})


def _names() -> st.SearchStrategy[str]:
    return st.sampled_from((*PLUGINS, "loss", "a/b", "../../etc/passwd", "", "\x1b[31m", "\u202e", "*")) | st.text(
        max_size=8
    )


def _data() -> st.SearchStrategy[bytes]:
    return st.binary(max_size=12) | st.sampled_from(KERAS)


def check(files: Files, case: Case) -> object:
    """Run a command on the file; JSON that it prints is JSON of the standard, without NaN."""
    folder = case.write(files)
    name = next(iter(files))
    command = COMMANDS[sum(files[name]) % len(COMMANDS)]
    words = [str(folder / name) if word == "FILE" else word for word in command.split()]
    printed = run_command(words)
    if "--json" in words and printed.out:
        json.loads(printed.out, parse_constant=_refuse)
    return printed.status


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")


TARGETS = (Target("events", "event files with odd values", seeds, strategy, check, seconds=2.0, memory=1000.0),)
