"""Plugins from modules, files and entry points; errors in them are reported and do not crash."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process_state import plugins_forgotten
from tfmodel import transform
from tfmodel.errors import TransformError
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.transforms.framework import registry

GRAPH = GraphDef(node=[NodeDef(name="a", op="Relu"), NodeDef(name="b", op="Neg", input=["a"])])

PLUGIN = """
from __future__ import annotations

from typing import Optional

from tfmodel import graph_transform
from tfmodel.graph import replace_node, with_nodes


@graph_transform
def {name}(graph: "GraphDef", *, suffix: Optional[str] = None, times: int = 1) -> "GraphDef":
    '''Rename every op.'''
    return with_nodes(graph, [replace_node(node, op=node.op + (suffix or "") * times) for node in graph.node])
"""


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Restore the registered transforms, loaded modules and import paths after a test."""
    modules, path = set(sys.modules), list(sys.path)
    with plugins_forgotten():
        yield
    for name in set(sys.modules) - modules:
        if name.startswith(("tfmodel plugin", "plugin_of_test")):
            del sys.modules[name]
    sys.path[:] = path


def write(folder: Path, text: str, name: str = "plugin_of_test") -> Path:
    path = folder / f"{name}.py"
    path.write_text(text)
    importlib.invalidate_caches()
    return path


def distribution(folder: Path, entry_points: str) -> None:
    """Install a distribution in `folder`."""
    info = folder / "their_transforms-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-transforms\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def test_a_file_brings_transforms(tmp_path: Path) -> None:
    path = str(write(tmp_path, PLUGIN.format(name="suffixed")))
    assert registry.load_plugin(path) == ["suffixed"]
    result = transform(GRAPH, "", "", "suffixed(suffix=X, times=2)")
    assert [node.op for node in result.node] == ["ReluXX", "NegXX"]
    assert "suffixed" in registry.names()
    assert str(registry.find("suffixed")) == "suffixed([suffix=STR], times=1)"
    assert registry.load_plugin(path) == []  # it is there already


def test_a_module_brings_transforms(tmp_path: Path) -> None:
    write(tmp_path, PLUGIN.format(name="suffixed"))
    sys.path.insert(0, str(tmp_path))
    assert registry.load_plugin("plugin_of_test") == ["suffixed"]
    assert not registry.find("suffixed").is_builtin


def test_an_installed_plugin_is_loaded_for_an_unknown_name(tmp_path: Path) -> None:
    write(tmp_path, PLUGIN.format(name="suffixed"))
    distribution(tmp_path, "[tfmodel.transforms]\ntheirs = plugin_of_test\n")
    registry.find("remove_device")
    assert "plugin_of_test" not in sys.modules
    assert [node.op for node in transform(GRAPH, "", "", "suffixed(suffix=Y)").node] == ["ReluY", "NegY"]


def test_installed_plugins_are_listed(tmp_path: Path) -> None:
    write(tmp_path, PLUGIN.format(name="suffixed"))
    distribution(tmp_path, "[tfmodel.transforms]\ntheirs = plugin_of_test\nbroken = no_such_module_of_test\n")
    [problem] = registry.load_installed()
    assert problem == (
        'the plugin "broken = no_such_module_of_test" cannot be loaded: '
        "ModuleNotFoundError: No module named 'no_such_module_of_test'"
    )
    assert "suffixed" in registry.names()


def test_an_unknown_name_with_a_broken_plugin_names_both(tmp_path: Path) -> None:
    write(tmp_path, "x = 1 / 0")
    distribution(tmp_path, "[tfmodel.transforms]\ntheirs = plugin_of_test\n")
    for _ in range(2):
        with pytest.raises(TransformError) as caught:
            registry.find("suffixed")
        assert str(caught.value) == (
            'there is no transform "suffixed"; the plugin "theirs = plugin_of_test" cannot be loaded: '
            "ZeroDivisionError: division by zero (plugin_of_test.py:1)"
        )
    assert registry.find("remove_device").is_builtin  # which needs no plugin


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("import no_such_module_of_test", r"ModuleNotFoundError: No module named 'no_such_module_of_test' \(.*py:1\)"),
        ("def f(:", r"SyntaxError: invalid syntax \(plugin_of_test.py, line 1\)"),
        ("import sys\nsys.exit(3)", r"SystemExit: 3 \(plugin_of_test.py:2\)"),
        ("raise RuntimeError", r"RuntimeError \(plugin_of_test.py:1\)"),
        (PLUGIN.format(name="rename_op"), r"already, in tfmodel.transforms.node_fields \(plugin_of_test.py:10\)"),
        (PLUGIN.format(name="set_device"), r"already, in tfmodel.transforms.node_fields \(plugin"),
        (
            PLUGIN.format(name="mine").replace("times: int", "times: complex"),
            r"times must be X, .*; parameters supplied by .* \(activations, .*report\) .* \(plugin_of_test.py:\d+\)$",
        ),
        (
            PLUGIN.format(name="mine").replace("times: int", "times: int | str"),
            r"times must be X, X \| None or",
        ),
        (
            PLUGIN.format(name="mine").replace("times: int", "times: No"),
            "times has an annotation that cannot",
        ),
        (
            PLUGIN.format(name="mine").replace("*, suffix", "suffix"),
            "the parameter suffix must be keyword-only",
        ),
        (PLUGIN.format(name="mine").replace('graph: "GraphDef", ', ""), "mine: the first parameter must be the graph"),
    ],
)
def test_a_broken_plugin_is_named_and_leaves_nothing_behind(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path, text)
    known = registry.names()
    for _ in range(2):
        with pytest.raises(TransformError, match=problem) as caught:
            registry.load_plugin(str(path))
        assert str(caught.value).startswith(f'the plugin "{path}" cannot be loaded: ')
    assert registry.names() == known
    assert registry.find("rename_op").is_builtin


def test_transforms_of_a_broken_plugin_are_not_registered(tmp_path: Path) -> None:
    path = write(tmp_path, PLUGIN.format(name="suffixed") + "\nraise ValueError")
    with pytest.raises(TransformError):
        registry.load_plugin(str(path))
    with pytest.raises(TransformError, match='no transform "suffixed"'):
        registry.find("suffixed")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no_such_module_of_test", 'no module named "no_such_module_of_test"'),
        ("tfmodel.no_such", 'no module named "tfmodel.no_such"'),
        ("FOLDER/plugin_of_tset.py", 'no such file; did you mean "plugin_of_test.py"'),
        ("no/such/folder.py", "no such file"),
        ("a b", "neither a module name nor the path of a .py file"),
        ("", "neither a module name nor the path of a .py file"),
        ("FOLDER/text.txt", "not a Python file"),
    ],
)
def test_a_missing_plugin_is_an_error(tmp_path: Path, name: str, problem: str) -> None:
    write(tmp_path, "")
    (tmp_path / "text.txt").write_text("x")
    with pytest.raises(TransformError, match=problem):
        registry.load_plugin(name.replace("FOLDER", str(tmp_path)))


def test_the_error_suggests_a_file_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "", "mine_of_test")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    with pytest.raises(TransformError, match=r'for the file in this folder write "./mine_of_test.py"'):
        registry.load_plugin("mine_of_test")


def test_code_without_a_module_can_register_transforms() -> None:
    scope: dict[str, object] = {}
    exec(PLUGIN.format(name="suffixed"), scope)
    assert scope["suffixed"].__module__ is None
    assert registry.find("suffixed").function is scope["suffixed"]
    assert [node.op for node in transform(GRAPH, "", "", ["suffixed(suffix=Z)", scope["suffixed"]]).node] == [
        "ReluZ",
        "NegZ",
    ]


def test_a_transform_of_a_plugin_that_fails_is_named(tmp_path: Path) -> None:
    text = PLUGIN.format(name="suffixed").replace("    return", "    {}['x']\n    return")
    registry.load_plugin(str(write(tmp_path, text)))
    with pytest.raises(TransformError, match=r"^suffixed: it failed: KeyError: 'x' \(plugin_of_test.py:13\)$"):
        transform(GRAPH, "", "", "suffixed")
