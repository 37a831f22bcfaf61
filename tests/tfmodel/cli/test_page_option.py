"""--html of `summarize`, `weights` and `diff`: the page opens at their tab."""

from __future__ import annotations

import pytest

from tests.tfmodel.drawing.page.test_page import header_of
from tfmodel.cli import runner

LINEAR, CONVNET, TRAINED = "tests/data/linear.pb", "tests/data/convnet.pb", "tests/data/trained/model.meta"


@pytest.fixture
def run(capsys):
    def run(command, *arguments):
        status = runner.run(command, f".{command}", "", list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("command", "models", "tab", "status"),
    [
        ("summarize", [LINEAR], "summary", 0),
        ("weights", [LINEAR], "weights", 0),
        ("weights", [TRAINED, "--checkpoint", "tests/data/trained/model"], "weights", 0),
        ("diff", [LINEAR, CONVNET], "difference", 1),
        ("diff", [LINEAR, LINEAR], "difference", 0),
    ],
)
def test_a_page_opens_at_the_tab_of_the_command(run, tmp_path, command, models, tab, status):
    page = tmp_path / "page.html"
    ended, out, err = run(command, *models, "--html", page)
    assert (ended, out, err) == (status, "", f"{page}: page, {page.stat().st_size:,} bytes\n")
    assert header_of(page.read_bytes())["tab"] == tab


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["summarize", LINEAR, "--json"], "--json"),
        (["summarize", LINEAR, "--batch-size", "1"], "--batch-size"),
        (["weights", LINEAR, "--all"], "--all"),
        (["weights", LINEAR, "--min-size", "1k"], "--min-size"),
        (["diff", LINEAR, CONVNET, "--quiet"], "--quiet"),
        (["diff", LINEAR, CONVNET, "--values"], "--values"),
    ],
)
def test_options_of_the_text_are_refused(run, tmp_path, arguments, option):
    status, out, err = run(*arguments, "--html", tmp_path / "page.html")
    assert (status, out) == (2, "")
    assert f"--html writes the whole report: leave out {option}" in err


def test_the_name_of_a_page_ends_with_html(run, tmp_path):
    status, _, err = run("weights", LINEAR, "--html", tmp_path / "page.txt")
    assert status == 2 and "the name of a page ends with .html" in err


@pytest.mark.parametrize(("command", "status"), [("summarize", 2), ("weights", 2), ("diff", 2)])
def test_a_damaged_file_becomes_no_page(run, tmp_path, command, status):
    page = tmp_path / "page.html"
    files = ["tests/data/truncated.pb", LINEAR][: 1 + (command == "diff")]
    assert run(command, *files, "--html", page)[0] == status
    assert not page.exists()
