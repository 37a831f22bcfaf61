"""Whole files in memory: large ones are read into large pages, with the same bytes."""

import os

import pytest

from tests.tfmodel import models
from tfmodel import load, save
from tfmodel.files import model_file
from tfmodel.files.model_file import read_whole
from tfmodel.messages import GraphDef

CONTENT = bytes(range(256)) * 400


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "MIN_MAPPED_SIZE", 1000)
    path = tmp_path / "large"
    path.write_bytes(CONTENT)
    return path


@pytest.mark.parametrize("start", [0, 1, 70_000, len(CONTENT)])
def test_it_is_what_follows_in_the_file(path, start):
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        memory = read_whole(file, len(CONTENT) - start)
    assert memory[:] == CONTENT[start:]
    assert isinstance(memory[1:3], bytes)


@pytest.mark.parametrize("expected", [len(CONTENT) - 5, len(CONTENT) + 5])
def test_a_file_that_changes_its_size_while_it_is_read(path, expected):
    with open(path, "rb", buffering=0) as file:
        assert read_whole(file, expected) == CONTENT


def test_a_system_without_such_memory(path, monkeypatch):
    monkeypatch.setattr(model_file, "_large_pages", lambda size: None)
    with open(path, "rb", buffering=0) as file:
        assert read_whole(file, len(CONTENT)) == CONTENT


def test_a_graph_read_so_can_be_listed_changed_and_saved_over_its_file(path):
    path.write_bytes(models.graph(weights=1000).to_bytes())
    graph = load(path, GraphDef, lazy=True)
    graph.node[0].name = "renamed"
    save(graph, path)
    expected = models.graph(weights=1000)
    expected.node[0].name = "renamed"
    assert load(path) == expected
    assert graph == expected
    assert os.path.getsize(path) == len(expected.to_bytes())
