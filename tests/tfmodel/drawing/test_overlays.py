"""Overlays of the page: the numbers of nodes in the files of several programs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.tfmodel import models
from tfmodel import Model, verify
from tfmodel.drawing.overlays import read_overlay
from tfmodel.errors import FileFormatError
from tfmodel.interpreter.profiling import NodeTime, OpTime, Profile
from tfmodel.messages import (
    AllocationDescription,
    AllocatorMemoryUsed,
    DeviceStepStats,
    NodeExecStats,
    NodeOutput,
    RunMetadata,
    StepStats,
    TensorDescription,
)

PROFILE = Profile(0.003, [OpTime("Relu", 0.003, 2)], [NodeTime("a", "Relu", 0.001), NodeTime("b", "Relu", 0.002)], 0, 0)


def stats(name: str, micros: int = 0, nanos: int = 0, **facts) -> NodeExecStats:
    return NodeExecStats(
        node_name=name, op_start_rel_micros=1, op_end_rel_micros=1 + micros, op_end_rel_nanos=nanos, **facts
    )


def traced(**devices: list[NodeExecStats]) -> RunMetadata:
    names = {"cpu": "/device:CPU:0", "gpu": "/device:GPU:0", "stream": "/device:GPU:0/stream:7",
             "all": "/device:GPU:0/stream:all", "memcpy": "/device:GPU:0/memcpy"}  # fmt: skip
    rows = [DeviceStepStats(device=names[name], node_stats=nodes) for name, nodes in devices.items()]
    return RunMetadata(step_stats=StepStats(dev_stats=rows))


@pytest.fixture
def overlay_of(tmp_path):
    def overlay_of(content, what=None):
        path = tmp_path / "overlay"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_overlay(path, what)

    return overlay_of


@pytest.mark.parametrize(
    ("content", "what", "values", "unit"),
    [
        ('{"a": 1, "b/c": 2.5}', None, {"a": 1.0, "b/c": 2.5}, ""),
        (PROFILE.to_json(), None, {"a": 1.0, "b": 2.0}, "ms"),
        (json.dumps({"outputs": {}, "profile": json.loads(PROFILE.to_json())}), "time", {"a": 1.0, "b": 2.0}, "ms"),
        ('{"outputs": [{"name": "y:0", "relative": 0.5}]}', "error", {"y": 0.5}, "relative error"),
        ('{"outputs": [{"name": "y", "relative": Infinity}]}', "error", {}, "relative error"),
    ],
)
def test_json(overlay_of, content, what, values, unit):
    assert overlay_of(content, what) == (pytest.approx(values), unit)


@pytest.mark.parametrize(
    ("run", "what", "values"),
    [
        (traced(cpu=[stats("a", 5), stats("a", 6)]), None, {"a": 0.011}),
        (traced(cpu=[stats("a", 5, nanos=5100)]), "time", {"a": 0.0051}),
        (traced(gpu=[stats("a", 1), stats("b", 2)], stream=[stats("a:Conv", 9)]), "time", {"a": 0.009, "b": 0.002}),
        (traced(stream=[stats("a", 9)], all=[stats("a", 9)], memcpy=[stats("m", 9)]), "time", {"a": 0.009}),
        (traced(cpu=[stats("a", memory=[AllocatorMemoryUsed(total_bytes=7)] * 2)]), "memory", {"a": 14}),
        (
            traced(
                cpu=[
                    stats(
                        "a",
                        output=[
                            NodeOutput(
                                tensor_description=TensorDescription(
                                    allocation_description=AllocationDescription(allocated_bytes=256)
                                )
                            )
                        ],
                    )
                ]
            ),
            "memory",
            {"a": 256},
        ),
    ],
)
def test_traced_runs(overlay_of, run, what, values):
    assert overlay_of(run.to_bytes(), what).values == pytest.approx(values)


@pytest.mark.parametrize(
    ("content", "what", "problem"),
    [
        (PROFILE.to_json(), "memory", "it has time, not memory"),
        ('{"a": 1}', "error", "it has numbers of an unknown kind, not error"),
        ("[1]", None, "an overlay is an object"),
        ('{"nodes": [1]}', None, 'each of its rows needs "node" and "seconds"'),
        ('{"a": 1e999}', None, 'the value of "a" is not a finite number'),
        ("{" * 100_000, None, "not a JSON file"),
        (traced(cpu=[stats("a", 1)]).to_bytes(), "error", "the RunMetadata has no error of nodes"),
        (
            traced(cpu=[NodeExecStats(all_end_rel_micros=1)]).to_bytes(),
            None,
            "the RunMetadata has no time of nodes: was the run traced?",
        ),
        (models.graph().to_bytes(), None, "it has a GraphDef, and an overlay is a RunMetadata, or JSON"),
    ],
)
def test_other_files_are_refused(overlay_of, content, what, problem):
    with pytest.raises(FileFormatError, match="overlay: ") as caught:
        overlay_of(content, what)
    assert problem in str(caught.value)


def test_a_verify_report_is_an_overlay(overlay_of):
    model = Model("tests/data/linear.pb")
    report = verify(model, model, {"x": np.ones((1, 64), np.float32)})
    assert set(overlay_of(report.to_json()).values) == {"y"}
