"""Copy tfmodel into another project, where nothing can be installed; or write it to one runnable file.

DEST becomes a package with the requested parts, LICENSE, and MANIFEST.json with the SHA-256 of each file. The import
line for the package is printed. The copy works under any name, can be moved, and coexists with other versions: all its
imports are relative, and none of its modules is top-level.

--parts copies less than everything: each part is a closed set of files, with all that it needs. --list-parts prints
them. Functions that need another part end with an error that names the module.

--zipapp writes one file that Python runs, compressed, with bytecode for the Python that writes it.

--check reports whether a copy was edited, and whether it is the copy that this tfmodel would make. --update replaces
a copy, but not one with edited files, unless --force is given. Files that do not belong to the copy are never changed.

--check does not verify compiled code in __pycache__. It only reports files there that belong to no module of the copy,
and compiled code that Python would run without comparing it with the source. If others can write to the folder, remove
__pycache__.

Exit status of --check: 0 if the copy is untouched and current, 1 if not, 2 if it cannot be checked.

examples:
  tfmodel vendor app/_vendor
  tfmodel vendor --list-parts
  tfmodel vendor app/_vendor --parts dump
  tfmodel vendor app/_vendor --parts pbwire,json
  tfmodel vendor app/_vendor --check
  tfmodel vendor app/_vendor --update
  tfmodel vendor --zipapp tfmodel.pyz && python tfmodel.pyz dump model.pb
  tfmodel vendor --zipapp dump.pyz --parts dump
"""

from __future__ import annotations

import os
import sys
from typing import Any

from pbwire.arguments import DONE, NO

from ..values.terminal import escape
from ..vendoring import (
    ALL,
    Outcome,
    Verdict,
    check,
    import_line,
    is_package_name,
    list_parts,
    package_of,
    parse_parts,
    vendor,
    zipapp,
)
from ..vendoring.manifest import MANIFEST
from ..vendoring.parts import PARTS
from .json_report import add_json, print_report
from .messages import RequestError, UsageError, warn
from .output_options import check_writable
from .parser import Parser

_OPTIONS = ("--parts", "--package", "--check", "--update", "--force", "--dry-run", "--zipapp")
SHOWN = 5  # outdated files that are listed


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("dest", metavar="DEST", nargs="?", help="the folder of the copy; without --check or --update, new or empty")
    parts_help = 'parts to copy, separated by commas; default: "all", or with --update those of the old copy'
    parser.add_offered("--parts", lambda: [*PARTS, "all"], separator=",", metavar="PARTS", help=parts_help)
    package_help = "package name of DEST, for the printed import line; default: from its path"
    add("--package", metavar="NAME", help=package_help)
    parser.add_flag("--check", help="report whether DEST is an untouched and current copy")
    parser.add_flag("--update", help="replace the copy in DEST")
    parser.add_flag("--force", help="with --update, replace edited files too")
    parser.add_flag("--dry-run", help="only list the files that would be written and removed")
    add("--zipapp", metavar="FILE", help="write one runnable file instead, such as tfmodel.pyz")
    add_json(parser)
    parser.add_flag("--list-parts", help="print the parts with their sizes, and write nothing")


def run(args: Any) -> int:
    _check_options(args)
    if args.list_parts:
        report = list_parts()
        sys.stdout.write(f"{report.to_json()}\n" if args.json else str(report))
        return DONE
    if args.zipapp is not None:
        check_writable(args.zipapp)
        size = zipapp(args.zipapp, _parts(args) or (ALL,))
        warn(f"{args.zipapp}: {size:,} bytes")
        if args.json:
            print_report([], [args.zipapp], {})
        return 0
    return _check(args) if args.check else _vendor(args)


def _check_options(args: Any) -> None:
    options = [name for name in _OPTIONS if getattr(args, name[2:].replace("-", "_"))]
    if args.dest is not None:
        options.append("DEST")
    if args.list_parts:
        _allow("--list-parts", options, ())
    elif args.zipapp is not None:
        _allow("--zipapp", options, ("--parts",))
        if args.zipapp in ("", "-"):
            raise UsageError("--zipapp needs the name of a file")
    elif not args.dest:
        raise UsageError("name the folder of the copy, or --zipapp FILE")
    elif args.check:
        _allow("--check", options, ("DEST",))
    elif args.force and not args.update:
        raise UsageError("--force replaces edited files of a copy: add --update")


def _allow(option: str, given: list[str], others: tuple[str, ...]) -> None:
    excess = [name for name in given if name != option and name not in others]
    if excess:
        allowed = f"only {others[0]}" if others else "nothing else"
        raise UsageError(f"{option} takes {allowed}: leave out {' '.join(excess)}")


# --- copying ---------------------------------------------------------------------------------------------------------


def _vendor(args: Any) -> int:
    parts = _parts(args)
    package, root = _package(args)
    outcome = vendor(args.dest, parts, update=args.update, force=args.force, dry_run=args.dry_run)
    if args.dry_run and not args.json:
        lines = [f"write {path}" for path in outcome.written] + [f"remove {path}" for path in outcome.removed]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    elif not args.json:
        sys.stdout.write(f"{import_line(package, outcome.copy.parts)}\n")
    where = "" if root in (None, os.path.realpath(os.curdir)) else f"; to import it, {root} must be on sys.path"
    warn(f"{args.dest}: {_summary(outcome, is_done=not args.dry_run)}{where}")
    if args.json:
        changed = [*outcome.written, MANIFEST] if outcome.written and not args.dry_run else []
        written = [os.path.join(args.dest, path) for path in changed]
        facts = {"planned": outcome.written, "removed": outcome.removed, "parts": outcome.copy.parts}
        print_report([], written, {**facts, "import": import_line(package, outcome.copy.parts)})
    return 0


def _parts(args: Any) -> tuple[str, ...] | None:
    try:
        return parse_parts(args.parts) if args.parts is not None else None
    except ValueError as error:
        raise UsageError(f"--parts: {error}") from None


def _package(args: Any) -> tuple[str, str | None]:
    """Return the package name of the copy, and the folder that must be on sys.path, if known."""
    if args.package is not None:
        if not is_package_name(args.package):
            raise UsageError(f'--package: "{args.package}" is not a package name; give one such as app._vendor')
        return args.package, None
    package, root = package_of(args.dest)
    if not is_package_name(package):
        name = os.path.basename(os.path.realpath(args.dest))
        bad = "." in name or not is_package_name(name)
        problem = f'a package cannot be named "{name}"' if bad else f'"{package}" is not a valid package name'
        raise RequestError(
            f"{problem}: choose another folder, or give the name for imports with --package",
            file=args.dest,
        )
    return package, root


def _summary(outcome: Outcome, *, is_done: bool) -> str:
    new, before = outcome.copy, outcome.before
    name, size = _name(new.version, new.parts), sum(map(len, new.files.values()))
    what = f"{name}, {len(new.files):,} files, {size:,} bytes"
    if before is None:
        return what
    if not (outcome.written or outcome.removed):
        return f"{what}: nothing to do"
    was = _name(before.version, before.parts)
    verbs = ("written", "removed") if is_done else ("to write", "to remove")
    changes = f"{len(outcome.written):,} {verbs[0]}, {len(outcome.removed):,} {verbs[1]}"
    return f"{what}: {changes}" if was == name else f"{was} -> {what}: {changes}"


def _name(version: str, parts: tuple[str, ...]) -> str:
    return f"tfmodel {version} ({', '.join(parts)})"


# --- checking --------------------------------------------------------------------------------------------------------


def _check(args: Any) -> int:
    verdict = check(args.dest)
    if args.json:
        differences, manifest = verdict.differences, verdict.manifest
        facts = {"sound": verdict.sound, "current": verdict.current, "parts": manifest.parts}
        changes = {name: getattr(differences, name) for name in ("changed", "missing", "extra")}
        print_report([args.dest], [], {**facts, **changes})
    else:
        sys.stdout.write("".join(f"{escape(line)}\n" for line in _lines(verdict)))
    return DONE if verdict.sound else NO


def _lines(verdict: Verdict) -> list[str]:
    manifest, differences = verdict.manifest, verdict.differences
    lines = [] if verdict.manifest_canonical else ["changed: MANIFEST.json"]
    lines += [f"changed: {path}" for path in differences.changed]
    lines += [f"missing: {path}" for path in differences.missing]
    lines += [f"not of the copy: {path}" for path in differences.extra]
    if not verdict.current:
        lines.append(_outdated_message(verdict))
    name = _name(manifest.version, manifest.parts)
    return lines or [f"untouched and current: {name}, {len(manifest.files):,} files"]


def _outdated_message(verdict: Verdict) -> str:
    if verdict.manifest.version != verdict.version:
        return f"outdated: this is a copy of tfmodel {verdict.manifest.version}; tfmodel {verdict.version} is running"
    names = ", ".join(verdict.outdated[:SHOWN] + ["..."] * (len(verdict.outdated) > SHOWN))
    return f"outdated: {len(verdict.outdated):,} files differ from the running tfmodel: {names}"
