"""The signature of a function declares its options: commands that call it add no second default, and the same choices.

OPERATIONS has each command that calls a function with options. A new command fails `test_every_command_is_here`.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import wraps
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

import tfmodel
from tests.tfmodel.cli.test_options import parser_of
from tfmodel.cli import COMMANDS, main
from tfmodel.compare.verify import Verification
from tfmodel.drawing.page.document import build_page
from tfmodel.export.saved_model.writing import saved_model_files
from tfmodel.freezing.pipeline import freeze_model
from tfmodel.interpreter import Session
from tfmodel.transforms.framework.recipes import Recipe

DATA = Path(__file__).resolve().parents[2] / "data"

OPERATIONS = {
    "check GRAPH": tfmodel.check,
    "convert TRAINED OUT --to saved_model": saved_model_files,
    "convert TRAINED OUT --to tfjs": tfmodel.save_tfjs,
    "convert TRAINED OUT --to onnx": tfmodel.save_onnx,
    "diff GRAPH GRAPH": tfmodel.diff,
    "diff GRAPH GRAPH --values": tfmodel.compare_values,
    "draw GRAPH -o OUT.html": build_page,
    "view GRAPH": build_page,
    "events LOGS": tfmodel.summarize_events,
    "extract GRAPH -o OUT.pb --outputs y": tfmodel.extract,
    "find GRAPH op=*": tfmodel.find,
    "freeze TRAINED -o OUT.pb": freeze_model,
    "optimize TRAINED -o OUT.pb": tfmodel.optimize,
    "reduce GRAPH -o OUT.pb --fails": tfmodel.reduce,
    "run GRAPH --random": Session,
    "splice GRAPH GRAPH -o OUT.pb --connect y=x": tfmodel.splice,
    "summarize GRAPH": tfmodel.summarize,
    "summarize GRAPH --objects": tfmodel.object_tree,
    "summarize GRAPH --signatures": tfmodel.signatures,
    "transform GRAPH -o OUT.pb --outputs y --transforms remove_device": tfmodel.transform,
    "verify GRAPH GRAPH": tfmodel.verify,
    "weights TRAINED": tfmodel.weights,
}
"""By command line: the function that declares its options."""

CALLED = {tfmodel.verify: Verification}
"""The function that a command calls instead, to show its progress."""

OTHERS = {"checkpoint", "completion", "dump", "edit", "ops", "records", "vendor"}
"""Commands whose options choose functions or are about files, or that call methods of a report or an editor."""

OF_COMMANDS = {
    ("draw", "tags"): "the model is opened before",
    ("view", "tags"): "the model is opened before",
    ("freeze", "clear_devices"): "as in TensorFlow's freeze_graph",
    ("freeze", "share"): "the graph is only written",
    ("transform", "op_defs"): "the declarations in the file of the model",
}
"""Options to which a command without options gives another value than the default."""

TOLD = {"progress", "reading", "report", "improved", "log", "watch", "observer"}
"""Options that receive progress and reports, which the command prints."""

RENAMED = {"--weights": "values"}
"""The parameters for options of other names."""


class Called(BaseException):
    """The function was called that a command calls."""


def arguments_of(line: str, function: Any, monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, Any]:
    """Run a command until it calls a function, and return the arguments by name."""
    passed: dict[str, Any] = {}
    signature = inspect.signature(function)

    @wraps(function)  # what reads the signature meanwhile may keep it
    def record(*args: Any, **options: Any) -> None:
        passed.update(signature.bind(*args, **options).arguments)
        raise Called

    for module, name in names_of(function):
        monkeypatch.setattr(module, name, record)
    files = {"GRAPH": DATA / "linear.pb", "TRAINED": DATA / "trained" / "model.meta", "LOGS": DATA / "logs" / "train"}
    with pytest.raises(Called):
        main([str(files.get(word, word)).replace("OUT", str(folder / "out")) for word in line.split()])
    monkeypatch.undo()
    for module, name in names_of(record):  # of modules that the command imported
        setattr(module, name, function)
    return passed


def names_of(function: Any) -> list[tuple[Any, str]]:
    """Return the modules of tfmodel that have a function, each with the name under which it has it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("tfmodel")]
    return [(module, name) for module in modules for name, value in vars(module).items() if value is function]


def is_same(value: Any, default: Any) -> bool:
    """Return whether a command gives what stands for the default: nothing, or a recipe instead of its name."""
    if isinstance(value, Recipe):
        return str(value) == str(tfmodel.transforms.framework.recipes.find_recipe(default))
    nothing = ([], {}, (), None)
    return value == default or (value in nothing and default in nothing)


def test_every_command_is_here() -> None:
    assert {line.split()[0] for line in OPERATIONS} | OTHERS == COMMANDS.keys()


@pytest.mark.parametrize("line", OPERATIONS)
def test_options_that_are_not_given_have_the_default_of_the_function(line, tmp_path, monkeypatch):
    command, function = line.split()[0], OPERATIONS[line]
    parser_of(command)  # imports it
    given = arguments_of(line, CALLED.get(function, function), monkeypatch, tmp_path)
    on_the_line = {word.lstrip("-") for word in line.split()}
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty and name not in TOLD | on_the_line
    }
    others = {
        name: (value, defaults[name])
        for name, value in given.items()
        if name in defaults and (command, name) not in OF_COMMANDS and not is_same(value, defaults[name])
    }
    assert others == {}


def options_with_parameters():
    """Yield all options that are parameters of the function that their command calls, with these, and the function."""
    for line, function in OPERATIONS.items():
        parameters = inspect.signature(function).parameters
        for action in parser_of(line.split()[0])._actions:
            name = next((RENAMED[option] for option in action.option_strings if option in RENAMED), action.dest)
            if name in parameters and (line.split()[0], name) not in OF_COMMANDS:
                yield action, parameters[name], function


def test_choices_are_those_of_the_type():
    choices, types = {}, {}
    for action, parameter, function in options_with_parameters():
        types_of_module = vars(sys.modules[function.__module__])
        is_name = str(parameter.annotation) in types_of_module or "Literal" in str(parameter.annotation)
        hint = eval(parameter.annotation, types_of_module) if is_name else None
        if get_origin(hint) is Literal:
            option = action.option_strings[0]
            choices[option], types[option] = tuple(action.choices or ()), get_args(hint)
    assert choices == types
    assert choices.keys() == {"--names", "--weights"}


def test_the_help_names_the_default_of_the_function():
    named = {}
    for action, parameter, _ in options_with_parameters():
        text = re.search(r"the default is ([\w.-]+)|(\w+) \(the default\)", action.help or "")
        if text and parameter.default is not None:
            named[action.option_strings[0]] = text[1] or text[2], str(parameter.default)
    assert {option for option, (text, default) in named.items() if text != default} == set()
    assert named.keys() >= {"--sort", "--samples", "--repeat", "--recipe"}
