"""Names with terminal control sequences, in all fields of a model: every command escapes them."""

from __future__ import annotations

import io
import os
import re
import tempfile
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout

import pytest

from tests.hostile import names
from tests.hostile.names import EVIL, calls, make_files
from tests.support.invisible_characters import is_invisible
from tfmodel.cli import COMMANDS, main
from tfmodel.cli.messages import LONGEST
from tfmodel.values.terminal import escape

FORGED = re.compile("^FORGED", re.MULTILINE)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere no file can be called like this")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    return tmp_path


def _check(shown, words):
    obeyed = {character for character in set(shown) - {"\n", "\t", "\ufffd"} if is_invisible(character)}
    assert not obeyed, (words, obeyed)
    assert not FORGED.search(shown), words
    assert "Traceback" not in shown, words


def test_all_commands_are_tested():
    """Attack: a new command without such a test.

    Naive: prints names without escaping them.
    Stopped by: tfmodel.values.terminal.escape
    """
    assert COMMANDS.keys() <= calls().keys(), "add calls to tests/hostile/names.py"


@pytest.mark.parametrize("command", calls())
def test_output_to_a_pipe_or_a_file(folder, command):
    """Attack: names with escape sequences, C1 controls, reversed writing and line ends: of nodes, ops, devices,
    attributes, functions, signatures, tags, collections, assets, tensors, files, and in files that are not models.

    Naive: prints them, so that they reach the terminal of every reader of the log.
    Stopped by: tfmodel.values.terminal.escape, tfmodel.cli.messages.warn
    """
    for words in calls()[command]:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            main(words)
        for stream in (out, err):
            shown = stream.buffer.getvalue().decode("utf-8", "replace")
            if not shown.startswith("PK"):  # an archive
                _check(shown.replace("\r", ""), words)
                assert "\r" not in shown


@pytest.mark.parametrize("command", calls())
def test_output_to_a_terminal(folder, command):
    """Attack: the same, with a real terminal at the other end.

    Naive: prints colours and progress on terminals with separate code that does not escape.
    Stopped by: tfmodel.values.terminal.escape, tfmodel.cli.progress.Progress
    """
    import pty
    import tty

    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # raw mode: a terminal would print a line end as two characters
    with ThreadPoolExecutor(1) as reader:
        whole = reader.submit(lambda: b"".join(iter(lambda: _read(ours), b"")))
        with (
            open(theirs, "w", encoding="utf-8") as out,
            open(theirs, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False) as err,
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            assert out.isatty()
            for words in calls()[command]:
                main(words)
        shown = whole.result(timeout=60).decode("utf-8", "replace")
    os.close(ours)
    assert "FORGED" in shown or command == "ops"  # the names are there, and harmless
    _check(shown.replace("\r", ""), command)  # needed by progress


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # all processes have closed it
        return b""


@pytest.mark.parametrize(
    ("kind", "characters"),
    [
        ("C0", map(chr, range(0x20))),
        ("DEL", "\x7f"),
        ("C1", map(chr, range(0x80, 0xA0))),
        ("lines and paragraphs", "\u0085\u2028\u2029"),
        ("direction", "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
        ("no width", "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"),
        ("tags and other uses", "\U000e0001\U000e0041\ue000\ufff9\uffff"),
        ("fillers and blanks", "\u3164\u115f\u1160\uffa0\u2800\u034f\u17b4\u17b5\U00016fe4\U0001d159\u3000\u00a0"),
        ("variation selectors", "\ufe00\ufe0f\u180b\U000e0100\U000e01ef"),
        ("halves of pairs", "\ud800\udfff\udcff"),
    ],
)
def test_escaped_characters(kind, characters):
    r"""Attack: all characters that control a terminal, or that make a name look like another one.

    Naive: escapes only \x1b.
    Stopped by: tfmodel.values.terminal.escape
    """
    for character in characters:
        assert re.fullmatch(r"\\([tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})", escape(character)), kind


def test_a_line_of_an_error_cannot_be_forged(folder, capsys):
    """Attack: a name with a line end, followed by a forged error message.

    Naive: prints the forged line as a message of its own.
    Stopped by: tfmodel.cli.messages.warn
    """
    for words in (["freeze", "alien.meta", "-o", "out.pb"], ["dump", "sound.pb", "--node", EVIL]):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["dump", "bad2.pbtxt"]) == 2
    message, excerpt, carets = capsys.readouterr().err.splitlines()
    assert message.startswith("bad2.pbtxt:1:")
    assert excerpt.startswith("    ")
    assert set(carets) == {" ", "^"}


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"vendor"}))  # it does not read models
def test_no_error_is_too_long(command, tmp_path, monkeypatch):
    """Attack: the same names with 30,000 characters each, which would fill a log or a terminal with one error.

    Naive: quotes names in full.
    Stopped by: tfmodel.cli.messages.warn, tfmodel.cli.parser.Parser.error
    """
    monkeypatch.setattr(names, "EVIL", "e" * 30_000)
    monkeypatch.setattr(names, "NAME", "n" * 30_000)
    monkeypatch.setattr(names, "_FILE", "file")
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    tried = [*calls()[command], [command, "e" * 30_000, "--" + "\u202e" * 30_000], [command, "e" * 30_000]]
    failed = 0
    for words in tried:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            status = main(words)
        if status:  # progress messages show the requested names in full
            failed += 1
            shown = err.buffer.getvalue().decode()
            assert max(map(len, shown.split("\n"))) < LONGEST + 100, (shown[:200], words)
    assert failed


def test_state_files_of_megabytes(tmp_path, capsys):
    """Attack: a state file that names a checkpoint in three million characters.

    Naive: quotes the whole name in the error.
    Stopped by: tfmodel.files.checkpoints.locate.find_checkpoint, tfmodel.cli.messages.warn
    """
    (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{"a" * 3_000_000}"')
    assert main(["checkpoint", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err) < 1_000
