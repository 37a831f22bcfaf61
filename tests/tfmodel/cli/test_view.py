"""`view` writes the page of `draw` to a temporary file, and opens it."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import pytest

import tfmodel
from tfmodel.cli import main

MODEL = "tests/data/linear.pb"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The addresses that the browser was asked to open; temporary files are in the folder of the test."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return addresses


def test_the_page_is_that_of_draw(opened, capsys):
    assert main(["view", MODEL]) == 0
    path = Path(capsys.readouterr().out.rstrip("\n"))
    assert opened == [path.as_uri()] and path.name == "linear.pb.html"
    assert path.read_bytes() == tfmodel.page(MODEL)


def test_two_models(opened, capsys):
    assert main(["view", MODEL, "tests/data/convnet.pb", "--weights", "none"]) == 0
    assert Path(capsys.readouterr().out.rstrip("\n")).read_bytes() == tfmodel.page(
        MODEL, "tests/data/convnet.pb", values="none"
    )


def test_without_a_browser_the_path_is_printed_and_the_status_is_1(opened, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert main(["view", MODEL]) == 2
    out, err = capsys.readouterr()
    assert Path(out.rstrip("\n")).exists() and "no browser" in err


def test_a_broken_file_leaves_nothing(opened, tmp_path, capsys):
    assert main(["view", "tests/data/truncated.pb"]) == 2
    assert opened == [] and list(tmp_path.iterdir()) == []


def test_the_name_of_the_page_is_plain(opened, tmp_path, capsys):
    odd = tmp_path / "a b<c>.pb"
    odd.write_bytes(Path(MODEL).read_bytes())
    assert main(["view", str(odd)]) == 0
    assert Path(capsys.readouterr().out.rstrip("\n")).name == "a_b_c_.pb.html"
