"""Real model files for tests, if available.

`corpus` is the folder that TFMODEL_CORPUS names, or `../shared/corpus` relative to the repository root, or None.
Behaviour that needs no particular file is tested with `model_files`, which has a few small files without a corpus too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

__all__ = ["corpus", "corpus_files", "model_files", "needs_corpus"]


def _find() -> Path | None:
    named = os.environ.get("TFMODEL_CORPUS")
    folder = Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "corpus"
    if named and not folder.is_dir():
        raise NotADirectoryError(f"TFMODEL_CORPUS is {named!r}, which is not a folder")
    return folder if folder.is_dir() else None


corpus = _find()

needs_corpus = pytest.mark.skipif(corpus is None, reason="no corpus: set TFMODEL_CORPUS to a folder of model files")


def corpus_files(*suffixes: str) -> list[Path]:
    """The corpus files whose names end with one of `suffixes` (all files for none), sorted; empty without a corpus.

    Pytest skips a test that is parametrized with an empty list; add `needs_corpus` to show the reason.
    """
    if corpus is None:
        return []
    return sorted(path for path in corpus.rglob("*") if path.is_file() and path.name.endswith(suffixes or ("",)))


SHIPPED = [
    Path(__file__).parents[1] / "data" / name
    for name in ("convnet.pb", "linear.pb", "linear/saved_model.pb", "trained/model.meta")
]


def model_files(*suffixes: str) -> list[Any]:
    """Model files for `pytest.mark.parametrize`: some of tests/data, and those of the corpus, which are slow.

    `suffixes` select files as for `corpus_files`.
    """
    shipped = [path for path in SHIPPED if path.as_posix().endswith(suffixes or ("",))]
    return [
        *(pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in shipped),
        *(pytest.param(path, id=str(path), marks=needs_corpus) for path in corpus_files(*suffixes)),
    ]
