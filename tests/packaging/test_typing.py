"""The types that mypy sees in an installed package: of every field of every message, of every option of a model."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.building import Environment
from tests.pbwire.test_typing import RIGHT, WRONG, WRONG_HEAD
from tests.support import schema_facts
from tests.support.schema_facts import FactMessage
from tfmodel import Model

pytest.importorskip("mypy.api", reason="mypy is not installed")

FACTS = schema_facts.load()
HEAD = "from typing import assert_type\n\nfrom pbwire import wellknown\nfrom tfmodel import messages\n"


def errors(place: Environment, folder: Path, **files: str) -> dict[str, list[str]]:
    """Return mypy's report for each line of each module, run in an environment: "" for a correct line."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    options = ["--strict", "--config-file=", "--no-color-output", "--no-pretty"]
    seen = ["--python-executable", str(place.interpreter), "--cache-dir", str(place.folder / "cache")]
    command = [sys.executable, "-m", "mypy", *options, *seen, *(f"{name}.py" for name in files)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert not done.stderr
    messages = {name: [""] * (text.count("\n") + 1) for name, text in files.items()}
    for line in done.stdout.splitlines():
        where, _, message = line.partition(": error: ")
        if message:
            file, _, number = where.partition(":")
            messages[file.removesuffix(".py")][int(number) - 1] += message
    return messages


def spelled(full_name: str) -> str:
    """Return the name of a class in the checked modules."""
    if full_name.startswith("google.protobuf."):
        return "wellknown." + full_name.removeprefix("google.protobuf.")
    return "messages." + full_name.removeprefix("tensorflow.").removeprefix("error.").removeprefix("profiler.")


def uses(fact: FactMessage, claimed: str | None = None) -> list[str]:
    """Return a function with a line for every field of a message, which asserts its type or a wrong one."""
    lines = [f"def use_{fact.full_name.replace('.', '_')}(message: {spelled(fact.full_name)}) -> None:"]
    for field in fact.fields:
        kind = claimed or FACTS.annotation(field, fact.syntax, spelled)
        lines.append(f"    assert_type(message.{field.name}, {kind})")
    return [*lines, "    message.no_such_field"]


def every_message(claimed: str | None = None) -> str:
    return HEAD + "\n".join(line for fact in FACTS.messages.values() for line in uses(fact, claimed))


@pytest.fixture(scope="module", params=["wheel", "editable"])
def place(request):
    if request.param == "wheel":
        return request.getfixturevalue("installed")
    return request.getfixturevalue("editable")[0]


def test_mypy_sees_every_field_of_every_message(place, tmp_path):
    right, wrong = every_message(), every_message("complex")
    messages = errors(place, tmp_path, right=right, wrong=wrong)
    for line, error in zip(right.split("\n"), messages["right"], strict=True):
        assert ("has no attribute" in error) if line.endswith("no_such_field") else not error, f"{line}: {error}"
    fields = 0
    for line, error in zip(wrong.split("\n"), messages["wrong"], strict=True):
        if "assert_type(message." in line:
            assert error.startswith("Expression is of type") and 'not "complex"' in error, line
            fields += 1
    assert fields == sum(len(fact.fields) for fact in FACTS.messages.values()) > 650


def test_right_and_wrong_uses(installed, tmp_path):
    messages = errors(installed, tmp_path, right=RIGHT, wrong=WRONG_HEAD + "\n".join(WRONG))
    assert not any(messages["right"])
    for error, expected in zip(messages["wrong"], [*[""] * WRONG_HEAD.count("\n"), *WRONG.values()], strict=True):
        assert (expected in error) if expected else not error


def options_of_models() -> list[tuple[str, str]]:
    """Return each method of Model with each of its keyword-only options."""
    return [
        (name, option.name)
        for name, method in inspect.getmembers(Model, inspect.isfunction)
        for option in inspect.signature(method).parameters.values()
        if not name.startswith("_") and option.kind is option.KEYWORD_ONLY
    ]


def test_mypy_sees_every_option_of_a_model(installed, tmp_path):
    head = "from typing import Any\n\nfrom tfmodel import Model\n\ndef use(model: Model, value: Any) -> None:\n"
    options = options_of_models()
    wrong = [f"    model.{method}({option}=1j)" for method, option in options]
    right = [f"    model.{method}({option}=value)" for method, option in options]
    unknown = [f"    model.{method}(no_such_option=value)" for method in dict(options)]
    text = head + "\n".join([*right, *wrong, *unknown])
    lines = dict(zip(text.split("\n"), errors(installed, tmp_path, options=text)["options"], strict=True))
    assert {line: lines[line] for line in right if "keyword" in lines[line] or "type" in lines[line]} == {}
    assert [line for line in wrong if "has incompatible type" not in lines[line]] == []
    assert [line for line in unknown if 'Unexpected keyword argument "no_such_option"' not in lines[line]] == []
    assert len(options) > 100


SECOND_MODELS = {"draw": "other", "diff": "other", "compare_values": "other", "splice": "other", "verify": "reference"}


def test_mypy_sees_the_second_model_by_position_and_by_keyword(installed, tmp_path):
    seconds = {
        name: [*inspect.signature(method).parameters.values()][1:2]
        for name, method in inspect.getmembers(Model, inspect.isfunction)
        if not name.startswith("_")
    }
    assert {
        name: one.name
        for name, found in seconds.items()
        for one in found
        if one.kind is one.POSITIONAL_OR_KEYWORD and one.name in SECOND_MODELS.values()
    } == SECOND_MODELS
    more = {"splice": ", connect={}"}
    right, wrong = (
        [
            f"    model.{name}({given}{value}{more.get(name, '')})"
            for name, parameter in SECOND_MODELS.items()
            for given in ("", f"{parameter}=")
        ]
        for value in ("model", "1j")
    )
    head = "from tfmodel import Model\n\ndef use(model: Model) -> None:\n"
    text = head + "\n".join([*right, *wrong])
    lines = dict(zip(text.split("\n"), errors(installed, tmp_path, models=text)["models"], strict=True))
    assert {line: lines[line] for line in right if lines[line]} == {}
    assert [line for line in wrong if "has incompatible type" not in lines[line]] == []
