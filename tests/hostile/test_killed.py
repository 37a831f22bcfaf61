"""Writers that are killed, terminated or interrupted: the target is the old file or the complete new one.

`python -m tests.hostile.kill_at_random --times 50` kills at random moments.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hostile.kill_at_random import judged, kills
from tests.hostile.writers import WRITERS, make_models
from tests.support.effort import some

ROOT = Path(__file__).resolve().parents[2]
fcntl = pytest.importorskip("fcntl", reason="processes are forked and killed")
termios = pytest.importorskip("termios", reason="processes are forked and killed")

SLOW = {"vendor", "vendor --zipapp"}  # they have too many steps to try all of them
SIGNALS = {"interrupt": 130, "terminate": 143, "hang up": 129}


def most(writer: str, steps: int) -> int:
    return 4 if writer in SLOW else steps


@pytest.mark.parametrize("writer", WRITERS)
def test_a_killed_writer_leaves_the_old_or_the_new_file(moments, writer):
    """Attack: the process is killed before any step that touches the disk, or in the middle of writing.

    Naive: truncates the old file, and writes into it.
    Stopped by: pbwire.atomic.replacing, pbwire.atomic.new_folder
    """
    whole, *killed = moments(writer, "kill", most=most(writer, 1000))
    assert (whole.status, whole.left) == (0, [])
    assert len(killed) >= 4
    for outcome in killed:
        assert outcome.status == -signal.SIGKILL
        assert judged(WRITERS[writer], outcome.state, whole.state) != "BROKEN", outcome.step
        if outcome.next is not None:  # the next run of the writer removes the temporaries
            assert (outcome.next, outcome.next_left) == (whole.state, []), outcome.step
    assert any(outcome.left for outcome in killed) or writer == "vendor"


@pytest.mark.parametrize("writer", sorted(WRITERS.keys() - SLOW))
def test_an_interrupted_writer_leaves_no_temporaries(moments, writer):
    """Attack: control-C at any of these steps.

    Naive: leaves half a file, and prints a traceback.
    Stopped by: pbwire.atomic.replacing_together, tfmodel.cli.runner.report_failure
    """
    whole, *interrupted = moments(writer, "interrupt", most=10)
    for outcome in interrupted:
        assert outcome.state in (WRITERS[writer].digests(), whole.state), outcome.step
        assert (outcome.status, outcome.left) == (130, []), outcome.step
        assert "Traceback" not in outcome.said


@pytest.mark.parametrize("how", ["terminate", "hang up"])
@pytest.mark.parametrize("writer", ["convert", "optimize to a folder", "weights to a folder"])
def test_a_terminated_writer_leaves_no_temporaries(moments, writer, how):
    """Attack: SIGTERM when the machine shuts down, or SIGHUP when the terminal closes.

    Naive: the process dies at once and leaves its temporaries.
    Stopped by: tfmodel.cli.runner.Terminated
    """
    whole, *ended = moments(writer, how, most=8)
    for outcome in ended:
        assert outcome.state in (WRITERS[writer].digests(), whole.state), outcome.step
        assert (outcome.status, outcome.left) == (SIGNALS[how], []), outcome.step
        assert "Traceback" not in outcome.said


@pytest.mark.parametrize("writer", ["write_checkpoint", "optimize to a folder"])
def test_of_several_files_the_index_is_replaced_last(moments, writer):
    """Attack: the process is killed when some files of a checkpoint, or of a SavedModel, are new and some are not.

    Naive: replaces the index first, which then refers to missing data.
    Stopped by: pbwire.atomic.replacing_together
    """
    whole, *killed = moments(writer, "kill")
    old = WRITERS[writer].digests()
    between = [outcome.state for outcome in killed if outcome.state not in (old, whole.state)]
    assert between
    for state in between:
        assert state[WRITERS[writer].last] == old[WRITERS[writer].last]


@pytest.mark.parametrize("writer", some(["save", "convert", "transform", "freeze"], 2))
def test_killed_at_random_moments(tmp_path, writer):
    """Attack: SIGKILL at random moments to real processes, by default to two of them.

    Naive: leaves half a file under the target's name.
    Stopped by: pbwire.atomic.replacing
    """
    make_models(tmp_path, elements=200_000)
    states = [state for state, _ in kills(writer, tmp_path, 2, random.Random(writer))]
    assert len(states) == 2
    assert "BROKEN" not in states


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_waiting_for_input_ends_quietly(tmp_path, number, status):
    """Attack: control-C, or SIGTERM, to a real process that waits.

    Naive: prints a traceback.
    Stopped by: tfmodel.cli.runner.report_failure
    """
    out = tmp_path / "out.pbtxt"
    process = subprocess.Popen(
        [sys.executable, "-m", "tfmodel", "convert", "-", str(out)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        process.stdin.write(b"node {")
        process.stdin.flush()
        while fcntl.ioctl(process.stdin, termios.FIONREAD, b"1234") != bytes(4):  # until the command has read that
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(timeout=60) == status
        assert process.stdout is not None
        assert process.stderr is not None
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert os.listdir(tmp_path) == []


def test_an_ignored_signal_stays_ignored(tmp_path):
    """Attack: SIGHUP for a command that was started with nohup.

    Naive: installs its own handler, and ends.
    Stopped by: tfmodel.cli.runner.run
    """
    code = (
        "import os, signal, sys\nfrom tfmodel.cli import main\nfrom tfmodel.cli import convert\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nrun = convert.run\n"
        "convert.run = lambda args: os.kill(os.getpid(), signal.SIGHUP) or run(args)\n"
        "assert main(sys.argv[1:]) == 0\nassert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL"
    )
    command = [sys.executable, "-c", code, "convert", "tests/data/linear.pb", str(tmp_path / "out.pbtxt")]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)
    assert (tmp_path / "out.pbtxt").exists()
