"""Distributions and environments that several tests share, built once per process."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.packaging.building import Environment, build, copy_sources, find_setuptools, pip, write_stub


@dataclass(frozen=True)
class Built:
    """The sources, and the distributions built from them."""

    sources: Path
    wheel: Path
    sdist: Path


@pytest.fixture(scope="session")
def setuptools(tmp_path_factory):
    """A folder with setuptools, for PYTHONPATH during builds."""
    return find_setuptools(tmp_path_factory.mktemp("setuptools"))


@pytest.fixture(scope="session")
def built(tmp_path_factory, setuptools):
    """Wheel and sdist of a copy of these sources, which contains findings of the fuzzer."""
    scratch = tmp_path_factory.mktemp("built")
    sources = copy_sources(scratch / "sources")
    finding = sources / "fuzz" / "failures" / "wire-00000000"  # findings of a fuzzing run in this checkout
    finding.mkdir(parents=True)
    (finding / "finding.json").write_text("{}")
    return Built(sources, *(build(what, sources, scratch / "dist", setuptools) for what in ("wheel", "sdist")))


@pytest.fixture(scope="session")
def schema_stub(tmp_path_factory, setuptools):
    """A distribution called `schema`, built here."""
    return write_stub(tmp_path_factory.mktemp("stub") / "schema", setuptools)


@pytest.fixture(scope="session")
def installed(tmp_path_factory, built, schema_stub):
    """An environment with the wheel and a distribution called `schema`."""
    place = Environment.make(tmp_path_factory.mktemp("installed") / "venv")
    place.install(built.wheel, schema_stub)
    return place


@pytest.fixture(scope="session")
def beside_the_real_schema(tmp_path_factory, built):
    """An environment with the wheel and PyPI's `schema`; skipped if that cannot be downloaded."""
    folder = tmp_path_factory.mktemp("real")
    try:
        pip("download", "--no-deps", "--retries=0", "--timeout=10", "--dest", str(folder), "schema")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"PyPI's schema cannot be downloaded: {error.stderr}")
    place = Environment.make(folder / "venv")
    place.install(built.wheel, *folder.glob("schema-*"))
    return place


@pytest.fixture(scope="session")
def editable(tmp_path_factory, setuptools, schema_stub):
    """An environment with an editable install of a checkout, and its sources."""
    scratch = tmp_path_factory.mktemp("editable")
    sources = copy_sources(scratch / "sources", tests=False)
    place = Environment.make(scratch / "venv")
    place.install(schema_stub)
    place.install("--editable", sources, setuptools=setuptools)
    return place, sources
