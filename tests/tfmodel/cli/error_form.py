"""The form of errors on standard error, the same for all commands and modules.

FILE: problem                     about a file, a line of it (FILE:12:5), a model, or several
tfmodel COMMAND: problem          about the call
"""

from __future__ import annotations

import re

_QUOTED_BY_PYTHON = re.compile(r"(?<!\w)'[^']*'(?!\w)")
_EXCERPTS_AND_ADVICE = (" ", 'try "', "recipe ")


def form_problems(call: list[str], stderr: str) -> list[str]:
    """Return what is wrong with the form of the error with which a command has ended."""
    lines = [line for line in stderr.splitlines() if not line.startswith(_EXCERPTS_AND_ADVICE)]
    error = lines[-1] if lines else ""
    command, *words = call
    about, colon, problem = error.partition(": ")
    about_call = about == f"tfmodel {command}"
    names = [word.removesuffix("/").removesuffix(".index") for word in words if not word.startswith("--")]
    problems = {
        "it begins with neither a file nor the command": not about_call and not about.startswith(tuple(names)),
        "it has no problem": not colon or not problem,
        "the file is named twice": problem.startswith(f"{about}: "),
        "the file is behind the command": about_call and problem.startswith(tuple(f"{name}: " for name in names)),
        "the quotes are those of Python": _QUOTED_BY_PYTHON.search(error),
        "it begins like a sentence": re.match(r"[A-Z][a-z]+ [a-z]+ [a-z]+", problem),
        "it ends like a sentence": re.search(r"\w\.$", error),
        "it says that it is an error": re.match(r"(error|warning)\b", problem, re.IGNORECASE),
        "it names the type of an argument": problem.startswith("argument "),
    }
    return [what for what, is_so in problems.items() if is_so]
