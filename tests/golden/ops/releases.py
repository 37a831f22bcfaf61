"""Make tfmodel/ops/release_table.py: the release of TensorFlow that has an op, or an attribute of an op, first.

    python -m tests.golden.ops.releases FOLDER

FOLDER has a file RELEASE.pb, such as 1.12.pb, for each release: an OpList with the ops that TF_GetAllOpList of its
library returns. Releases before 1.3, and 2.0 and 2.1, do not export this function: their lists have the ops of the
modules gen_*_ops.py. Ops that Python cannot see are taken from the list of the next release that exports it.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import tfmodel
from tfmodel.messages import OpList
from tfmodel.ops import OPS

__all__ = ["in_order", "table"]

TARGET = Path(tfmodel.__file__).with_name("ops") / "release_table.py"
HEAD = '''"""The first release of TensorFlow with each op and attribute, made by `python -m tests.golden.ops.releases`.

Each line has a release and ops, or attributes as "op.attribute". Ops that are not listed are in release 1.0, and
attributes that are not listed are as old as their op. In the order of time, 2.0 is before 1.15.
"""

from __future__ import annotations

'''


def in_order(releases: list[str]) -> list[str]:
    """Sort releases by time: 2.0 was released before 1.15."""

    def key(release: str) -> tuple[float, ...]:
        return (1, 14.5) if release == "2.0" else tuple(map(float, release.split(".")))

    return sorted(releases, key=key)


def table(lists: Mapping[str, OpList]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the ops that are new in each release after the first, and the attributes that are newer than their op."""
    attributes = {
        release: {op.name: {attr.name for attr in op.attr} for op in ops.op} for release, ops in lists.items()
    }
    order = in_order([*lists])
    ops: dict[str, list[str]] = {release: [] for release in order}
    newer: dict[str, list[str]] = {release: [] for release in order}
    for name in sorted(OPS):
        first = next((release for release in order if name in attributes[release]), None)
        if first is None or name.startswith("_"):
            continue
        ops[first].append(name)
        for attr in OPS[name].attr:
            having = (release for release in order if attr.name in attributes[release].get(name, ()))
            release = next(having, first)
            if release != first:
                newer[release].append(f"{name}.{attr.name}")
    del ops[order[0]]
    return {key: names for key, names in ops.items() if names}, {key: names for key, names in newer.items() if names}


def _text(name: str, rows: Mapping[str, list[str]]) -> str:
    lines = [
        line
        for release, names in rows.items()
        for line in textwrap.wrap(" ".join(names), 110, initial_indent=f"{release} ", subsequent_indent=f"{release} ")
    ]
    return f'{name} = """\n' + "\n".join(lines) + '\n"""\n'


def main(folder: Path) -> None:
    lists = {path.stem: OpList.from_bytes(path.read_bytes()) for path in folder.glob("*.pb")}
    ops, attributes = table(lists)
    TARGET.write_text(HEAD + _text("OPS", ops) + _text("ATTRIBUTES", attributes), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
