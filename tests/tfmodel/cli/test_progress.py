"""Progress: one line, only on a terminal and only for long work."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tfmodel import save
from tfmodel.cli import progress as module
from tfmodel.cli.messages import warn
from tfmodel.cli.progress import Counting, Progress
from tfmodel.messages import AttrValue, GraphDef, NodeDef
from tfmodel.values.steps import Step

ROOT = Path(__file__).resolve().parents[3]


class Terminal(io.StringIO):
    """The text shown so far, and an event for each write."""

    def __init__(self):
        super().__init__()
        self.shown = threading.Semaphore(0)

    def isatty(self):
        return True

    def flush(self):
        self.shown.release()

    def screen(self):
        """Return the final line on the terminal, and the longest line that it showed."""
        line, longest = "", ""
        for part in self.getvalue().split("\r"):
            line = part + line[len(part) :]
            longest = max(longest, line.rstrip(), key=len)
        return line.rstrip(), longest


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(module, "FIRST", 0.01)
    monkeypatch.setattr(module, "AGAIN", 0.01)


def test_it_shows_the_step_and_the_progress_and_is_cleared_at_the_end(soon):
    terminal = Terminal()
    with Progress(stream=terminal) as progress:
        progress.doing("writing graph.pb", lambda: "1,234 bytes")
        assert terminal.shown.acquire(timeout=30)
        progress.doing("reading")
        while not terminal.getvalue().rpartition("\r")[2].startswith("reading: "):
            assert terminal.shown.acquire(timeout=30)
    end, longest = terminal.screen()
    assert end == ""
    assert re.fullmatch(r"writing graph\.pb: 1,234 bytes, \d+ s", longest)


class Clock:
    """A clock that tests set."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.mark.parametrize(
    ("steps", "now", "line"),
    [
        ([(0, "reading a", None)], 5, "reading a: 5 s"),
        ([(0, "reading a", 0.0)], 5, "reading a: 0 %, 5 s"),  # the time left is not known yet
        ([(0, "reading a", 0.0), (6, "reading b", 0.25)], 6, "reading b: 25 %, 6 s, 18 s left"),
        (
            [(0, "opening", None), (10, "reading a", 0.0), (40, "reading b", 0.1)],
            40,
            "reading b: 10 %, 30 s, 4 min left",
        ),
        ([(0, "reading a", 0.0), (60, "reading b", 0.001)], 60, "reading b: 0 %, 60 s, 16 h 39 min left"),
    ],
)
def test_the_time_left_follows_from_the_share_that_is_done(steps, now, line, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    progress = Progress(stream=io.StringIO())
    for clock.now, name, share in steps:
        progress.doing(name, share=share)
    clock.now = now
    assert progress._line() == line


def test_a_step_has_its_share():
    progress = Progress(stream=io.StringIO())
    progress.each("reading")(Step("a", 0.5))
    assert re.fullmatch(r"reading a: 50 %, 0 s, 0 s left", progress._line())
    progress.each("reading")("a")
    assert re.fullmatch(r"reading a: 0 s", progress._line())


def test_nothing_is_shown_before_the_first_step(soon):
    terminal = Terminal()
    with Progress(stream=terminal):
        time.sleep(0.05)
    assert terminal.getvalue() == ""


def test_it_is_cleared_before_an_error_is_printed(soon):
    threads = threading.active_count()
    terminal = Terminal()
    with pytest.raises(ValueError, match="bad"), Progress(stream=terminal) as progress:
        progress.doing("parsing")
        assert terminal.shown.acquire(timeout=30)
        raise ValueError("bad")
    end, longest = terminal.screen()
    assert end == ""
    assert re.fullmatch(r"parsing: \d+ s", longest)
    assert threading.active_count() == threads


def test_a_message_replaces_the_line_which_comes_back_below(soon, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with Progress(stream=terminal) as progress:
        progress.doing("verifying")
        assert terminal.shown.acquire(timeout=30)
        warn("outputs: y")
        while not terminal.getvalue().rpartition("\n")[2].startswith("\rverifying"):
            assert terminal.shown.acquire(timeout=30)
    before, _, _ = terminal.getvalue().partition("outputs: y\n")
    assert before.endswith("\r")
    assert before.split("\r")[-2].strip() == ""


def test_quick_work_shows_nothing():
    terminal = Terminal()
    with Progress(stream=terminal) as progress:
        progress.doing("reading")
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("options", [{"stream": io.StringIO()}, {"stream": Terminal(), "quiet": True}])
def test_elsewhere_nothing_is_shown_and_no_thread_is_made(soon, options):
    threads = threading.active_count()
    with Progress(**options) as progress:
        progress.doing("reading")
        assert threading.active_count() == threads
        time.sleep(0.05)
    assert options["stream"].getvalue() == ""


def test_a_process_without_stderr(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress() as progress:
        progress.doing("reading")


def test_control_characters_stay_out_and_a_line_is_one_line(soon, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    with Progress(stream=terminal) as progress:
        progress.doing(f"reading \x1b[31m{'x' * 100}")
        assert terminal.shown.acquire(timeout=30)
    assert terminal.screen() == ("", (r"reading \x1b[31m" + "x" * 100)[:39])


def test_a_closed_terminal_is_not_an_error(soon):
    class Gone(Terminal):
        def write(self, text):
            self.shown.release()
            raise OSError(5, "Input/output error")

    terminal = Gone()
    with Progress(stream=terminal) as progress:
        progress.doing("reading")
        assert terminal.shown.acquire(timeout=30)


def test_counting():
    target = io.BytesIO()
    counting = Counting(target)
    counting.write(b"ab")
    counting.writelines([b"cde", memoryview(b"f")])
    assert (counting.size, target.getvalue()) == (6, b"abcdef")


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_convert_on_a_terminal(tmp_path):
    import pty

    nodes = [
        NodeDef(name=f"node_{number}", op="NoOp", attr={"_note": AttrValue(s=b"x" * 300)}) for number in range(4000)
    ]
    save(GraphDef(node=nodes), tmp_path / "in.pbtxt")
    code = (
        "import sys; from tfmodel.cli import main, progress; progress.FIRST = progress.AGAIN = 0.001;"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "convert", str(tmp_path / "in.pbtxt"), str(tmp_path / "out.json")]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # Linux says so at the end
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    lines = [line.strip() for line in shown.decode().split("\r") if line.strip()]
    size = os.path.getsize(tmp_path / "in.pbtxt")
    assert any(re.fullmatch(rf"parsing in\.pbtxt, {size:,} bytes: \d+ s", line) for line in lines)
    assert any(re.fullmatch(r"writing out\.json: [\d,]+ bytes, \d+ s", line) for line in lines)
    end = shown.decode().rpartition(" \r")[2]  # behind the progress, which is hidden
    size = os.path.getsize(tmp_path / "out.json")
    assert " ".join(end.split()) == f"{tmp_path}/out.json: json, {size:,} bytes"
