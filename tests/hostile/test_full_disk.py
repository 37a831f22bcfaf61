"""Full disks, exceeded quotas and closed pipes: one line of error that names the target, and no files left behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.hostile.writers import WRITERS, content, make_models
from tfmodel import Checkpoint, write_checkpoint
from tfmodel.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SLOW = {"vendor", "vendor --zipapp"}
RENAMED = {"write_checkpoint", "optimize to a folder", "vendor"}  # of which the last file may fail when others are new

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
needs_limits = pytest.mark.skipif(os.name != "posix", reason="limits are set on POSIX")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    make_models(folder)
    return folder


@needs_limits
@pytest.mark.parametrize("writer", sorted(WRITERS.keys() - {"vendor"}))
def test_the_disk_is_full_at_any_step(moments, writer):
    """Attack: no space is left when a file is opened, written, synced, closed or renamed.

    Naive: loses the old file, writes half of the new one, and prints a traceback about a temporary.
    Stopped by: pbwire.atomic.replacing_together, pbwire.atomic.new_folder
    """
    _fails_cleanly(moments, writer, "full", most=4 if writer in SLOW else 1000)


@needs_limits
@pytest.mark.parametrize("how", ["quota", "broken"])
@pytest.mark.parametrize("writer", ["save", "weights to a folder"])
def test_a_quota_or_a_broken_disk(moments, writer, how):
    """Attack: the same with an exhausted quota and with I/O errors.

    Naive: handles ENOSPC only.
    Stopped by: pbwire.atomic.replacing_together, pbwire.atomic.new_folder
    """
    _fails_cleanly(moments, writer, how, most=1000)


def _fails_cleanly(moments, writer, how, *, most):
    whole, *failed = moments(writer, how, most=most)
    assert (whole.status, whole.left) == (0, [])
    for outcome in failed:
        assert outcome.left == [], outcome.step
        if outcome.status == 0:  # an optional step
            assert outcome.state == whole.state, outcome.step
            continue
        assert outcome.status == WRITERS[writer].failure
        if not (writer in RENAMED and outcome.step.startswith("before replace")):
            assert outcome.state == WRITERS[writer].digests(), outcome.step
        assert f"out/{WRITERS[writer].target}" in outcome.said.splitlines()[-1], outcome.step
        assert "Traceback" not in outcome.said
        assert ".tmp" not in outcome.said
    assert any(outcome.status == WRITERS[writer].failure for outcome in failed)


@needs_limits
@pytest.mark.parametrize(
    "writer",
    [
        "convert",
        "convert to text",
        "transform",
        "weights to .npz",
        "weights to .safetensors",
        "weights to a folder",
    ],
)
def test_a_file_with_a_size_limit(tmp_path, models, writer):
    """Attack: a real file size limit, which also stops NumPy's own writing.

    Naive: `array.tofile` raises an error without a number.
    Stopped by: tfmodel.files.array_files, pbwire.atomic.replacing
    """
    WRITERS[writer].prepare(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, *WRITERS[writer].process(models, tmp_path)[3:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"{tmp_path}/{WRITERS[writer].target}")
    assert done.stderr.splitlines()[-1].endswith(": file too large")
    assert content(tmp_path) == WRITERS[writer].digests()
    assert len(list(tmp_path.iterdir())) == len(WRITERS[writer].old)


_LIMITED = """
import resource, sys
from tfmodel.cli import main
import numpy  # whose import may write
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
sys.exit(main(sys.argv[1:]))
"""


@needs_limits
def test_a_checkpoint_whose_index_no_longer_matches(tmp_path):
    """Attack: a disk with space for the data of a new checkpoint, but not for its index.

    Naive: replaces the data and then fails, which destroys the old checkpoint.
    Stopped by: pbwire.atomic.replacing_together
    """
    write_checkpoint(tmp_path / "model", {"a": np.arange(3.0)})
    before = content(tmp_path)
    code = (
        "import resource, sys, numpy\nfrom tfmodel import write_checkpoint\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "write_checkpoint(sys.argv[1], {f'a{n}': numpy.float32(n) for n in range(1000)})"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "File too large" in done.stderr
    assert content(tmp_path) == before
    assert Checkpoint(tmp_path / "model")["a"].tolist() == [0, 1, 2]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_small_disk(tmp_path, models):
    """Attack: a real disk that is full.

    Naive: leaves a temporary, which keeps the disk full.
    Stopped by: pbwire.atomic.replacing
    """
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        (disk / "model.pb").write_bytes(b"old")
        for target in ("model.pb", "new/", "arrays", "arrays.npz"):
            command = "weights" if target.startswith("arrays") else "optimize" if target == "new/" else "convert"
            words = {
                "weights": ["--all", "-o", f"{disk}/{target}"],
                "optimize": ["-o", f"{disk}/{target}", "--outputs=big", "--no-verify"],
                "convert": [f"{disk}/{target}"],
            }
            done = _tfmodel(command, models / "graph.pb", *words[command])
            assert done.returncode == 2
            assert done.stderr.splitlines()[-1].startswith(f"{disk}/{target}")
            assert done.stderr.splitlines()[-1].endswith(": no space left on device")
            assert os.listdir(disk) == ["model.pb"]
        assert (disk / "model.pb").read_bytes() == b"old"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _tfmodel(*words, **options):
    command = [sys.executable, "-m", "tfmodel", *map(str, words)]
    options = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=60, check=False, **options)


# --- devices and pipes -----------------------------------------------------------------------------------------------

TO_STANDARD_OUTPUT = {
    "the overview": [],
    "--version": ["--version"],
    "--help": ["convert", "--help"],
    "dump": ["dump", "IN/graph.pb"],
    "summarize": ["summarize", "IN/graph.pb"],
    "checkpoint": ["checkpoint", "IN/trained", "-o", "-"],
    "freeze": ["freeze", "IN/trained.meta", "-o", "-"],
    "weights": ["weights", "IN/graph.pb", "-o", "-"],
    "run": ["run", "IN/graph.pb", "--random", "--fetch=big", "-o", "-"],
    "verify": ["verify", "IN/graph.pb", "IN/graph.pb", "--outputs=y", "--json"],
    "ops": ["ops"],
    "diff": ["diff", "IN/graph.pb", "IN/trained.meta"],
    "draw": ["draw", "IN/graph.pb"],
    "check": ["check", "IN/graph.pb"],
    "events": ["events", "IN/logs"],
    "records": ["records", "IN/examples.tfrecord"],
    "find": ["find", "IN/graph.pb", "op=*"],
    "reduce": ["reduce", "IN/graph.pb", "-o", "IN/reduced.pb", "--check=sh -c 'exit 1'"],
    "edit": ["edit", "IN/graph.pb", "-o", "-", "--rename=y=z"],
    "extract": ["extract", "IN/graph.pb", "-o", "-", "--outputs=big"],
    "splice": ["splice", "IN/graph.pb", "IN/graph.pb", "-o", "-", "--connect=x=x"],
    "transform": ["transform", "IN/graph.pb", "-o", "-", "--transforms=remove_device", "--outputs=y,big"],
    "optimize": ["optimize", "IN/trained.meta", "-o", "-", "--no-verify"],
    "convert": ["convert", "IN/graph.pb", "-", "--to=json"],
    "completion": ["completion", "zsh"],
}


def test_all_commands_are_tested():
    """Attack: a new command without such a test.

    Naive: prints a traceback.
    Stopped by: tfmodel.cli.runner.run
    """
    assert COMMANDS.keys() <= TO_STANDARD_OUTPUT.keys() | {"vendor", "view"}, "add it: what does it print?"


@needs_full
@pytest.mark.parametrize("name", TO_STANDARD_OUTPUT)
def test_standard_output_is_full(models, name):
    """Attack: standard output is a full disk.

    Naive: prints a traceback, or exits with status 0 and without a message.
    Stopped by: tfmodel.cli.runner.report_failure
    """
    words = [word.replace("IN/", f"{models}/") for word in TO_STANDARD_OUTPUT[name]]
    with open("/dev/full", "w") as full:
        done = _tfmodel(*words, stdout=full)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(": no space left on device")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes are closed on POSIX")
@pytest.mark.parametrize("name", TO_STANDARD_OUTPUT)
def test_standard_output_without_a_reader(models, name):
    """Attack: a pipe whose other end is closed, as `| head -1` does.

    Naive: prints a traceback, or "Exception ignored".
    Stopped by: tfmodel.cli.runner.report_failure
    """
    words = [word.replace("IN/", f"{models}/") for word in TO_STANDARD_OUTPUT[name]]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = _tfmodel(*words, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert not re.search(r"Traceback|Error|Exception", done.stderr)


@needs_full
@pytest.mark.parametrize("writer", ["convert", "weights to .npz", "weights to .safetensors", "draw", "run"])
def test_the_target_is_a_full_device(models, tmp_path, writer):
    """Attack: `-o /dev/full`, a device that refuses all data and must not be replaced.

    Naive: replaces the device by a file, or prints an error without the target.
    Stopped by: pbwire.atomic.replacing_together
    """
    suffix = os.path.splitext(WRITERS[writer].target)[1]
    link = tmp_path / f"full{suffix}"
    link.symlink_to("/dev/full")
    words = WRITERS[writer].words(models, Path("OUT"))
    done = _tfmodel(*(word.replace(f"OUT/{WRITERS[writer].target}", str(link)) for word in words))
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"{link}: no space left on device")
    assert os.readlink(link) == "/dev/full"
    assert not os.path.isfile("/dev/full")
