"""The command line: `python -m tfmodel COMMAND`, installed as `tfmodel` too.

`COMMANDS` has every command with the line that the overview shows. A command's module is imported when it is run and
not before; it has `add_arguments(parser)` and `run(args) -> int`, and does no more than parse, call the library, print.

It may import every other package; only `__main__` and the installed command call it.

Exit status: 0 done, 1 the input or the request was bad, 2 usage.
"""

from __future__ import annotations

import os
import sys

__all__ = ["COMMANDS", "main"]

# name: module, what it does
COMMANDS = {
    "dump": (".dump", "print what a model file holds: as text or JSON, as a tree to read, or byte by byte"),
    "summarize": (".summarize", "tell what a model is: inputs, outputs, ops, parameters, FLOPs"),
    "checkpoint": (".checkpoint", "list, verify or export the tensors of a checkpoint"),
    "freeze": (".freeze", "turn the variables of a model into constants: one graph, ready to be run"),
    "weights": (".weights", "list the weights of a model and what they are for, or export them"),
    "run": (".run", "run a model on NumPy, with feeds from files or made up ones"),
    "verify": (".verify", "run two models on the same feeds, and tell whether they compute the same"),
    "ops": (".ops", "list which ops can be run, or whether those of a model can"),
    "diff": (".diff", "tell what changed from one model to another, node by node"),
    "draw": (".draw", "draw a graph, for Graphviz to render"),
    "transform": (".transform", "change a graph: what the Graph Transform Tool did"),
    "optimize": (".optimize", "make one small graph of a model, ready to be run: freeze, fold, verify"),
    "convert": (".convert", "write a model file in another form: binary, text format, JSON"),
    "vendor": (".vendor", "copy tfmodel into another project, or make one runnable file of it"),
}

_HELP = ("-h", "--help", "help")
_OVERVIEW = """\
usage: {program} COMMAND ...

Reads and inspects TensorFlow model files: .pb, .pbtxt, .json, .meta, SavedModel folders, checkpoints.

commands:
{commands}

"{program} COMMAND --help" explains one of them{same}.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that `arguments` (sys.argv without its first item) ask for, and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if sys.stdout is None:  # closed by the calling program: output is dropped, as in any program
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  it stays open as long as the process
    if sys.stderr is None:  # what is printed there would go to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  the same
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # standard output is full, or closed
        from . import runner

        return runner.report_failure("tfmodel", error) or 1


def _run(arguments: list[str]) -> int:
    command, *options = arguments or ["--help"]
    if command in _HELP:
        if options and options[0] not in _HELP:  # "help dump"
            return _run([options[0], "--help"])
        sys.stdout.write(overview())
        sys.stdout.flush()
        return 0 if arguments else 2
    if command == "--version":
        from .. import __version__

        sys.stdout.write(f"tfmodel {__version__}\n")
        sys.stdout.flush()
        return 0
    from . import runner

    if command not in COMMANDS:
        return runner.unknown_command(command, list(COMMANDS))
    module, line = COMMANDS[command]
    return runner.run(command, module, line, options)


def overview() -> str:
    from ..starting import program

    width = max(map(len, COMMANDS))
    lines = (f"  {name:{width}}  {line}" for name, (_, line) in COMMANDS.items())
    same = '; "python -m tfmodel" is the same as "tfmodel"' if program() == "tfmodel" else ""
    return _OVERVIEW.format(program=program(), commands="\n".join(lines), same=same)
