"""The generated files are current and marked, and no other file has the name of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import index


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return index.generated_files()


def test_the_files_are_current(generated: dict[str, str]) -> None:
    present = {path: file.read_text(encoding="utf-8") for path, file in index.present_files().items()}
    outdated = [path for path, text in generated.items() if present.get(path) != text]
    assert outdated == [], "run python -m tests.index"
    assert sorted(present.keys() - generated.keys()) == [], "a generated file that python -m tests.index does not write"


def test_all_are_marked_and_named_as_generated(generated: dict[str, str]) -> None:
    assert [path for path, text in generated.items() if not text.startswith(index.MARK)] == []
    assert [path for path in generated if not path.endswith((".pyi", "_index.py"))] == []


def test_the_command_restores_files_and_removes_others(
    generated: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(index, "ROOT", tmp_path)
    changed, missing, *others = generated
    for path in (changed, *others, "tfmodel/old_index.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(generated.get(path, ""))
    (tmp_path / changed).write_text("an older version")
    assert index.main(["--check"]) == 1
    assert sorted(capsys.readouterr().out.split("\n")) == sorted(["", changed, missing, "tfmodel/old_index.py (gone)"])
    assert index.main([]) == 0
    assert {path: (tmp_path / path).read_text() for path in (changed, missing)} == {
        path: generated[path] for path in (changed, missing)
    }
    assert not (tmp_path / "tfmodel/old_index.py").exists()
    assert index.main(["--check"]) == 0
