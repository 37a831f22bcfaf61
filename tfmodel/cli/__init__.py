"""The command line: `python -m tfmodel COMMAND`, installed as `tfmodel` too.

`GROUPS` lists the commands, each with its line in the overview. The module of a command is imported only when the
command is run. It has `add_arguments(parser)` and `run(args) -> int`, and only parses arguments, calls the library, and
prints.

This package may import every other package; only `__main__` and the installed command call it.

Exit status: 0 if a command did what was asked, or if the answer is yes; 1 if the answer is no: findings, a difference,
no match; 2 if it could not be done. README.md has the whole table, which is the same for all commands.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from .. import __version__
from ..starting import command_prefix

__all__ = ["COMMANDS", "main"]

_NEW_OBJECTS = 500_000
"""How many objects a command makes before the collector looks for unused ones: those of a model live as long as it."""

# by group: name: module, what it does
GROUPS = {
    "look at models": {
        "summarize": (".summarize", "describe a model: inputs, outputs, ops, parameters, FLOPs"),
        "view": (".view", "open a model in the browser, as a page"),
        "draw": (".draw", "write that page (HTML), an image, or a graph for Graphviz"),
        "dump": (".dump", "print a file as text, JSON or an overview, or byte by byte"),
        "find": (".find", "find nodes by name, op, dtype, shape, attributes and place"),
        "weights": (".weights", "list the weights of a model with their roles, or export them"),
        "check": (".check", "check whether a model is sound and safe"),
        "diff": (".diff", "compare two models node by node, or tensor by tensor"),
    },
    "look at other files": {
        "checkpoint": (".checkpoint", "list, verify, export or rewrite the tensors of a checkpoint"),
        "events": (".events", "list the graphs and series in event files of TensorBoard"),
        "records": (".records", "describe a TFRecord file: its records, features of examples"),
    },
    "run models": {
        "run": (".run", "run a model on NumPy, with feeds from files or generated ones"),
        "verify": (".verify", "run two models with the same feeds, and compare the outputs"),
        "ops": (".ops", "list the ops that can be run, or check those of a model"),
    },
    "change models": {
        "optimize": (".optimize", "freeze, transform and verify a model: one small graph"),
        "freeze": (".freeze", "replace the variables of a model by constants: one graph"),
        "convert": (".convert", "convert between binary, text, JSON, SavedModel, TensorFlow.js"),
        "transform": (".transform", "apply transforms to a graph, as the Graph Transform Tool did"),
        "edit": (".edit", "edit nodes, attributes and names; add preprocessing"),
        "extract": (".extract", "extract the part of a model between some tensors"),
        "splice": (".splice", "join two models: results of one are inputs of the other"),
        "reduce": (".reduce", "find the smallest part of a model that shows a problem"),
    },
    "use tfmodel elsewhere": {
        "vendor": (".vendor", "copy tfmodel into another project, or make one runnable file"),
        "completion": (".completion", "print a script with which bash, zsh or fish completes words"),
    },
}
COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}

_HELP = ("-h", "--help", "help")
_OVERVIEW = """\
usage: {program} COMMAND ...
       {program} FILE

Reads, runs and optimizes TensorFlow model files: .pb, .pbtxt, .json, .meta,
SavedModel folders, checkpoints. FILE alone is summarized.

{groups}

"{program} COMMAND --help" explains a command, with examples.{same}
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command in `arguments` (default: sys.argv without its first item), and return the exit status."""
    if arguments is None:  # the process ends with the command
        arguments = sys.argv[1:]
        gc.set_threshold(_NEW_OBJECTS)
        atexit.register(gc.freeze)  # and what is left of the model with the process
    if sys.stdout is None:  # closed by the calling program: output is dropped, as in any program
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  it stays open as long as the process
    if sys.stderr is None:  # without this, messages would go to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  the same
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # standard output is full, or closed
        from . import runner

        return runner.report_failure("tfmodel", error) or 2


def _run(arguments: list[str]) -> int:
    command, *options = arguments or ["--help"]
    if command in _HELP:
        if options and options[0] not in _HELP:  # "help dump"
            return _run([options[0], "--help"])
        text = overview()
        if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):  # elsewhere, nothing is imported
            from pbwire.colours import paint_headings

            text = paint_headings(text, sys.stdout)
        sys.stdout.write(text)
        sys.stdout.flush()
        return 0 if arguments else 2
    if command == "--version":
        sys.stdout.write(f"tfmodel {__version__}\n")
        sys.stdout.flush()
        return 0
    from . import runner

    if command not in COMMANDS and (_is_model(command) or _is_path(command)):
        command, options = "summarize", arguments
    if command not in COMMANDS:
        return runner.unknown_command(command, [name for name in COMMANDS if name in _present()])
    module, line = COMMANDS[command]
    return runner.run(command, module, line, options)


def _is_model(path: str) -> bool:
    """Return whether a file or folder exists at a path, or a checkpoint with this prefix. "-" is standard input."""
    return path == "-" or any(os.path.exists(path + suffix) for suffix in ("", ".meta", ".index"))


def _is_path(word: str) -> bool:
    """Return whether a word is meant to be the path of a file, which may not exist, rather than a command."""
    return not word.startswith("-") and any(mark in word for mark in (".", "/", os.sep))


def _present() -> set[str]:
    """Return the commands whose modules are here: a copy may have a part of tfmodel alone."""
    from pkgutil import iter_modules  # few calls need it

    modules = {f".{module.name}" for module in iter_modules(__path__)}
    return {name for name, (module, _) in COMMANDS.items() if module in modules}


def overview() -> str:
    width, present = max(map(len, COMMANDS)), _present()
    rows = {
        title: [f"  {name:{width}}  {line}" for name, (_, line) in group.items() if name in present]
        for title, group in GROUPS.items()
    }
    groups = ("\n".join([f"{title}:", *lines]) for title, lines in rows.items() if lines)
    same = '\n"python -m tfmodel" is the same as "tfmodel".' if command_prefix() == "tfmodel" else ""
    return _OVERVIEW.format(program=command_prefix(), groups="\n\n".join(groups), same=same)
