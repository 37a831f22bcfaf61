"""The content of wheel and sdist, built from every form of the sources."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from tests.builtin_protos import FILES
from tests.golden.packing import unpack
from tests.packaging.building import ROOT, build
from tfmodel import __version__
from tfmodel.drawing.page.document import MODULES

NAME = f"tfmodel-{__version__}"
MEGABYTE = 1 << 20
PROTO_FILES = {f"pbwire/proto/include/{name}" for name in FILES}


@pytest.fixture(scope="module")
def wheel(built):
    """Every file of the wheel with its content."""
    with zipfile.ZipFile(built.wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(wheel) -> Message:
    return message_from_string(wheel[f"{NAME}.dist-info/METADATA"].decode())


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    """The folder of the unpacked sdist."""
    folder = tmp_path_factory.mktemp("unpacked")
    unpack(built.sdist, folder)
    return folder / NAME


def files_below(folder: Path) -> set[str]:
    """Return the paths of regular files in a folder, except caches and leftovers of pip and setuptools."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    names = {path.relative_to(folder).as_posix() for path in files}
    return {name for name in names if not name.startswith(("build/", "tfmodel.egg-info/"))}


# --- the wheel ---------------------------------------------------------------------------------------------------


def test_a_wheel_has_the_packages_and_nothing_else(built, wheel):
    expected = {
        f"{inside}/{name}": (built.sources / folder / name).read_bytes()
        for folder, inside in [("pbwire", "pbwire"), ("tfmodel", "tfmodel"), ("schema", "tfmodel/_schema")]
        for name in files_below(built.sources / folder)
        if not name.endswith(".md")
    }
    assert {name: data for name, data in wheel.items() if ".dist-info/" not in name} == expected


def test_data_files_are_included(wheel):
    data = {name for name in wheel if not name.endswith((".py", ".pyi")) and ".dist-info/" not in name}
    page = {f"tfmodel/drawing/page/{name}" for name in ("page.html", "page.css", *(f"js/{m}.js" for m in MODULES))}
    assert data == page | PROTO_FILES | {
        "pbwire/py.typed",
        "tfmodel/_schema/py.typed",
        "tfmodel/ops/op_defs.pb.gz",
        "tfmodel/py.typed",
    }


def test_a_wheel_has_two_top_level_names(wheel):
    assert wheel[f"{NAME}.dist-info/top_level.txt"].split() == [b"pbwire", b"tfmodel"]


def test_it_is_for_every_machine_and_not_large(built):
    assert built.wheel.name == f"{NAME}-py3-none-any.whl"
    assert built.wheel.stat().st_size < 2.5 * MEGABYTE


class TestMetadata:
    def test_declared_requirements(self, metadata):
        needed = metadata.get_all("Requires-Dist")
        assert [line for line in needed if "extra ==" not in line] == ["numpy>=1.23.5"]
        assert metadata["Requires-Python"] == ">=3.11"

    def test_the_license_is_declared_and_included(self, metadata, wheel):
        assert metadata["License-Expression"] == "Apache-2.0"
        assert metadata.get_all("License-File") == ["LICENSE"]
        assert wheel[f"{NAME}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()

    def test_the_command_is_declared(self, wheel):
        lines = wheel[f"{NAME}.dist-info/entry_points.txt"].decode().split("\n")
        assert [line for line in lines if line] == ["[console_scripts]", "tfmodel = tfmodel.cli:main"]

    def test_the_description_is_the_readme_without_relative_links(self, built, metadata):
        assert metadata["Description-Content-Type"] == "text/markdown"
        text = metadata.get_payload()
        readme = (built.sources / "README.md").read_text(encoding="utf-8")
        for sentence in ("no TensorFlow, no protobuf and no protoc", "The API by example has the rest"):
            assert sentence in re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", readme) and sentence in text
        assert len(text.splitlines()) > len(readme.splitlines()) - 5
        assert "![" not in text
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        targets = re.findall(r"\]\(([^)\s]+)|\b(?:src|href)=[\"']?([^\"'>\s]+)", prose)
        assert [link for pair in targets for link in pair if link and not link.startswith(("https://", "#"))] == []

    def test_classifiers(self, metadata):
        classifiers = metadata.get_all("Classifier")
        assert "Typing :: Typed" in classifiers
        assert not [line for line in classifiers if line.startswith("License ::")]  # license expressions forbid them


# --- the sdist ---------------------------------------------------------------------------------------------------


def test_an_sdist_has_the_sources_with_their_tests_and_the_tables_once(built, unpacked):
    generated = {"PKG-INFO", "setup.cfg"}
    link = {name for name in files_below(built.sources) if name.startswith("tfmodel/_schema")}
    findings = {name for name in files_below(built.sources) if name.startswith("fuzz/failures/")}
    assert findings
    assert files_below(unpacked) - generated == files_below(built.sources) - link - findings
    assert {"schema/graph.py", "tests/packaging/test_distributions.py", "setup.py"} <= files_below(unpacked)


def test_an_sdist_has_all_committed_files(unpacked):
    try:
        command = ["git", "ls-files", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not a git checkout: {error}")
    committed = {name for name in listed if (ROOT / name).is_file()} - {".gitignore"}
    assert committed - files_below(unpacked) == set()


def test_an_sdist_is_not_large(built):
    assert built.sdist.stat().st_size < 20 * MEGABYTE


# --- other forms of the sources ----------------------------------------------------------------------------------


def no_link(sources: Path) -> None:
    """Remove the link, as file systems without links do."""
    (sources / "tfmodel" / "_schema").unlink()


def link_as_text(sources: Path) -> None:
    """Make the link a text file, as in a zip of the repository or a checkout on Windows."""
    no_link(sources)
    (sources / "tfmodel" / "_schema").write_text("../schema")


def with_caches(sources: Path) -> None:
    """Add the files that the use of a checkout leaves."""
    for folder in ("pbwire", "schema", "tfmodel/cli"):
        (sources / folder / "__pycache__").mkdir()
        (sources / folder / "__pycache__" / "stale.cpython-311.pyc").write_bytes(b"stale")


def unchanged(sources: Path) -> None:
    """Change nothing: the same build again."""


@pytest.mark.parametrize("change", [unchanged, no_link, link_as_text, with_caches])
def test_the_same_wheel_comes_out_of_every_form_of_a_checkout(built, setuptools, tmp_path, change):
    sources = tmp_path / "sources"
    ignore = shutil.ignore_patterns("tests", "build", "tfmodel.egg-info")
    shutil.copytree(built.sources, sources, symlinks=True, ignore=ignore)
    change(sources)
    assert build("wheel", sources, tmp_path, setuptools).read_bytes() == built.wheel.read_bytes()


def test_the_same_wheel_comes_out_of_an_sdist(built, unpacked, setuptools, tmp_path):
    assert build("wheel", unpacked, tmp_path, setuptools).read_bytes() == built.wheel.read_bytes()


def test_a_checkout_without_a_working_link_gives_the_same_sdist(built, unpacked, setuptools, tmp_path):
    sources = tmp_path / "sources"
    shutil.copytree(built.sources, sources, symlinks=True, ignore=shutil.ignore_patterns("build", "tfmodel.egg-info"))
    link_as_text(sources)
    with tarfile.open(build("sdist", sources, tmp_path, setuptools)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in names if (unpacked / name).is_file()} >= files_below(unpacked)
    assert "tfmodel/_schema" not in names
