"""`tfmodel completion`: scripts for shells that complete commands, options, choices and files.

Where a shell is installed, it reads its script and completes words; what the scripts have is tested everywhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tfmodel.cli import COMMANDS, main
from tfmodel.cli.completion import arguments_of_commands

SHELLS = ["bash", "zsh", "fish"]

COMPLETED = {
    "tfmodel du": ["dump"],
    "tfmodel sp": ["splice"],
    "tfmodel draw --wei": ["--weights"],
    "tfmodel draw --weights a": ["all"],
    "tfmodel draw --weights=n": ["none"],
    "tfmodel completion f": ["fish"],
    "tfmodel optimize --recipe shr": ["shrink"],
    "tfmodel transform --help-transform rename_o": ["rename_op"],
    "tfmodel vendor --parts wei": ["weights"],
    "tfmodel vendor --parts dump,wei": ["dump,weights"],
    "tfmodel check --fail-on=note,unsafe/wr": ["note,unsafe/write"],
    "tfmodel dump mo": ["model.pb"],
    "tfmodel draw model.pb -o mo": ["model.pb"],
    "tfmodel draw model.pb --around mo": [],  # a node
    "tfmodel dump --no-such": [],
}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def spelled(option: str, shell: str) -> str:
    """Return how a script names an option."""
    return option if shell != "fish" else f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"


def test_every_option_and_choice_is_in_every_script(script: str, shell: str) -> None:
    for command, arguments in arguments_of_commands().items():
        lines = [line for line in script.splitlines() if f"seen_subcommand_from {command}'" in line]
        begin = script.find(f"\n        {command})\n")
        part = "\n".join(lines) if shell == "fish" else script[begin : script.index("\n            ;;\n", begin)]
        for argument in arguments:
            assert all(spelled(option, shell) in part for option in argument.spellings), command
            assert " ".join(argument.choices) in part


def test_every_command_is_in_every_script(script: str, shell: str) -> None:
    marks = {"bash": "\n        {})\n", "zsh": "        '{}:", "fish": " -a {} -d "}
    assert [command for command in COMMANDS if marks[shell].format(command) not in script] == []


def test_options_of_former_tools_are_not_completed(script: str) -> None:
    assert "placeholder-type-enum" not in script


@pytest.fixture
def folder(tmp_path: Path, script: str) -> Path:
    (tmp_path / "_tfmodel").write_text(script)
    (tmp_path / "model.pb").touch()
    return tmp_path


def output(shell: str, code: str, folder: Path) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    environment = {**os.environ, "HOME": str(folder), "TERM": "xterm"}
    done = subprocess.run(
        [shell, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line.partition("\t")[0] for line in done.stdout.splitlines() if line]


def test_the_shell_reads_the_script(shell: str, folder: Path) -> None:
    assert output(shell, f"{shell} -n _tfmodel", folder) == []


BASH = """
source ./_tfmodel
COMP_WORDS=({words}); COMP_CWORD={last}; files=yes
compopt() {{ files=; }}  # bash has it only while it completes
_tfmodel
if [[ ${{#COMPREPLY[@]}} == 0 && $files == yes && {word} != -* ]]; then COMPREPLY=($(compgen -f -- {word})); fi
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("line", COMPLETED)
def test_bash_completes(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    (tmp_path / "_tfmodel").write_text(capsys.readouterr().out)
    (tmp_path / "model.pb").touch()
    words = line.replace("=", " = ").split()
    code = BASH.format(words=" ".join(words), last=len(words) - 1, word=words[-1])
    assert output("bash", code, tmp_path) == COMPLETED[line]


@pytest.mark.parametrize("line", COMPLETED)
def test_fish_completes(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fish"]) == 0
    (tmp_path / "_tfmodel").write_text(capsys.readouterr().out)
    (tmp_path / "model.pb").touch()
    code = f"source ./_tfmodel; complete -C '{line}'"
    option = line.rpartition(" ")[2].rpartition("=")[0]
    expected = [f"{option}={word}" if option else word for word in COMPLETED[line]]
    assert output("fish", code, tmp_path) == expected
