"""The package name of a folder."""

from __future__ import annotations

import pytest

from tfmodel.vendoring import import_line, is_package_name, package_of


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        (("pbwire",), "from app._vendor import pbwire"),
        (("pbwire", "schema"), "from app._vendor.tfmodel import messages"),
        (("dump", "weights"), "from app._vendor import tfmodel"),
    ],
)
def test_the_line_that_imports_a_copy(parts, line):
    assert import_line("app._vendor", parts) == line


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("a", True),
        ("app._vendor", True),
        ("größe.x2", True),
        ("", False),
        (".", False),
        (".app", False),
        ("app.", False),
        ("app..x", False),
        ("2app", False),
        ("my-app", False),
        ("class.x", False),
        ("a;import os", False),
        ("a\n", False),
    ],
)
def test_names_of_packages(name, good):
    assert is_package_name(name) == good


@pytest.mark.parametrize(
    ("packages", "folder", "package", "root"),
    [
        ([], "app/_vendor", "app._vendor", "."),
        ([], "vendored", "vendored", "."),
        ([], "src/app/_vendor", "app._vendor", "src"),
        (["app"], "app/_vendor", "app._vendor", "."),
        (["lib/app", "lib/app/core"], "lib/app/core/_vendor", "app.core._vendor", "lib"),
        (["lib/app"], "lib/app/core/_vendor", "lib.app.core._vendor", "."),
        (["src", "src/app"], "src/app/_vendor", "src.app._vendor", "."),
        (["../other/app"], "../other/app/_vendor", "app._vendor", "../other"),
        ([], "../other/app/_vendor", "_vendor", "../other/app"),
        ([], "app/../app/./_vendor/", "app._vendor", "."),
        ([], "a.b", "./a.b", "."),
        ([], "app/v1.2", "./app/v1.2", "."),
        (["lib.d", "lib.d/app"], "lib.d/app/_vendor", "./lib.d/app/_vendor", "."),
    ],
)
def test_the_name_includes_the_packages_around_the_folder(tmp_path, monkeypatch, packages, folder, package, root):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for path in packages:
        (here / path).mkdir(parents=True, exist_ok=True)
        (here / path / "__init__.py").touch()
    assert package_of(folder) == (package, str((here / root).resolve()))
