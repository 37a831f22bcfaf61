"""Every command and snippet of the READMEs has the output shown there; input files equal the output of their script."""

import re

import pytest

from tests import readme
from tests.data.make import FOLDER, files
from tests.readme import BLOCK, README, ROOT, blocks, doctest_failures, pages, readmes, rendered
from tests.support.process_state import plugins_forgotten
from tfmodel import __version__

BLOCKS = {path.relative_to(ROOT).as_posix(): blocks(path.read_text()) for path in pages()}
COMMANDS = {
    f"{name}: {block['body'].splitlines()[0]}": block
    for name, blocks in BLOCKS.items()
    for block in blocks
    if block["kind"] == "console" and not block["reason"]
}
SNIPPETS = {
    name: "".join(block["body"] for block in blocks if block["kind"] == "pycon") for name, blocks in BLOCKS.items()
}


@pytest.mark.slow(reason="starts a process for each command")
@pytest.mark.parametrize("block", COMMANDS.values(), ids=COMMANDS)
def test_a_command_prints_what_is_shown(block):
    assert rendered(block["body"]) == block["body"], "the output differs: run python -m tests.readme --no-timings"


@pytest.mark.parametrize(
    ("found", "compared"),
    [("0.0169", "0.0169"), ("0.0168", "0.0169"), ("1.7e-2", "0.0169"), ("0.0159", "0.0159"), ("0", "0")],
)
def test_only_the_last_digits_of_a_difference_may_depend_on_the_machine(found, compared):
    line = "scores:0: float32[1,10]: differs by 0.0607 at most, {} of the largest, top-1 agrees in 100.00%\n"
    assert readme.with_known_differences(line.format(found), line.format("0.0169")) == line.format(compared)


@pytest.mark.parametrize("name", [name for name, body in SNIPPETS.items() if body])
def test_the_snippets_give_what_is_shown(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    with plugins_forgotten():
        assert doctest_failures(SNIPPETS[name]) == 0


@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_is_run_by_something(name):
    for block in BLOCKS[name]:
        kind = block["kind"]
        is_workflow = kind == "yaml" and block["reason"]  # a service runs it
        assert kind in ("console", "pycon") or block["timing"] or is_workflow or name == "DESIGN.md", (
            f"no test runs a block of kind {kind}: {block['body']}"
        )


@pytest.mark.parametrize("name", files())
def test_a_file_in_the_repository_equals_its_scripts_output(name):
    assert (FOLDER / name).read_bytes() == files()[name]


@pytest.mark.parametrize("option", ["--no-timing", "--check", "README.md"])
def test_an_unknown_option_regenerates_nothing(option, monkeypatch, capsys):
    monkeypatch.setattr(readme, "regenerated", None)
    with pytest.raises(SystemExit, match="2"):
        readme.main([option])
    assert f"unrecognized arguments: {option}" in capsys.readouterr().err


DESIGN = ROOT / "DESIGN.md"
PACKAGES = ("pbwire", "tfmodel")
CREATED = ("fuzz/failures",)
"""Paths that exist only after a run."""


def tree() -> dict[str, str]:
    """Return the paths in the tree of DESIGN.md, with their descriptions.

    A line has names and, after two blanks or in the next line, a description: `  model.py, source.py  open a model`.
    Lines such as `2 files` name the storeys.
    """
    section = DESIGN.read_text().partition("## The storeys")[2]
    block = next(block for block in BLOCK.finditer(section) if not block["kind"])
    paths: dict[str, str] = {}
    folders: list[str] = []
    described: list[str] = []
    for line in block["body"].splitlines():
        if re.fullmatch(r"\d [a-z]+", line):
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        names, _, description = line.strip().partition("  ")
        if all(name.endswith(("/", ".py")) for name in names.split(", ")):
            described = []
            for name in names.split(", "):
                folders[depth:] = [name]
                described.append("".join(folders))
            paths |= dict.fromkeys(described, description)
        else:
            paths |= dict.fromkeys(described, line.strip())
    return paths


def test_the_tree_in_the_design_is_the_tree_on_disk():
    packages = {
        f"{path.parent.relative_to(ROOT).as_posix()}/"
        for name in PACKAGES
        for path in (ROOT / name).rglob("__init__.py")
        if "_schema" not in path.parts
    }
    modules = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tfmodel").glob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    }
    listed = {path for path in tree() if path.startswith(PACKAGES)}
    assert listed == packages | modules
    assert all((ROOT / path).exists() for path in tree())
    assert {"schema/", "tests/", "fuzz/"} <= tree().keys()


def test_every_package_in_the_tree_has_a_description():
    assert [path for path, description in tree().items() if path.endswith("/") and not description] == []


def test_the_changes_begin_with_the_version():
    versions = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert versions[0] == __version__, "the first heading of CHANGELOG.md is not __version__ of tfmodel"


def test_the_readme_is_short_enough():
    text = README.read_text()
    assert len(text.splitlines()) <= 220
    assert len(text.split()) <= 1400


def anchors(path):
    """Return the anchors that a page of GitHub has for its headings."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE), re.M
    )
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(path):
    prose = re.sub(r"```.*?```|`[^`\n]*`(?!\])", "", path.read_text(), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        name, _, anchor = link.partition("#")
        if not name.startswith("https://"):
            target = (path.parent / name).resolve() if name else path
            assert target.exists() and target.is_relative_to(ROOT), link
            assert not anchor or anchor in anchors(target), link


def test_every_path_that_a_readme_names_is_there():
    for path in (DESIGN, *readmes()):
        for name in re.findall(r"`((?:fuzz|pbwire|schema|tests|tfmodel)/[\w./-]+)`", path.read_text()):
            if name not in CREATED and not re.search("NAME|FAMILY", name):
                assert (ROOT / name).exists(), f"{path.relative_to(ROOT)}: {name}"


@pytest.mark.parametrize("path", [path for path in readmes() if path != README], ids=lambda path: path.parent.name)
def test_every_module_that_a_readme_of_a_folder_names_is_in_the_folder(path):
    names = set(re.findall(r"`([\w/]+\.py)`", path.read_text()))
    missing = {name for name in names if not list(path.parent.rglob(name)) and not (ROOT / name).exists()}
    assert missing == set()
