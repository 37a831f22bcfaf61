"""`python -m tfmodel.compat script.py arguments...`: run a script that was written for protobuf or TensorFlow."""

from __future__ import annotations

import argparse
import sys

from pbwire.arguments import DONE, FAILED, Parser
from pbwire.behavior import BEHAVIORS, DEFAULT, follow

from .script import ScriptError, run_script


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns 2 if the script cannot be run; exits as the script does."""
    parser = Parser(
        prog="python -m tfmodel.compat",
        description="Run a script whose imports of protobuf and TensorFlow are served by tfmodel, in this process.",
    )
    parser.add_argument("--override", action="store_true", help="also if protobuf or TensorFlow is installed")
    parser.add_argument("--force", action="store_true", help="also if the script needs names that tfmodel lacks")
    parser.add_argument("--only-protobuf", action="store_true", help="serve google.protobuf, and not TensorFlow")
    parser.add_argument(
        "--protobuf", choices=BEHAVIORS, default=DEFAULT, help="the version of protobuf that messages follow"
    )
    parser.add_argument("script", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    follow(options.protobuf)
    try:
        run_script(
            options.script,
            options.arguments,
            override=options.override,
            force=options.force,
            only_protobuf=options.only_protobuf,
        )
    except ScriptError as error:
        print(error, file=sys.stderr)
        return FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main())
