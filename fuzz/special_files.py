"""Special files in place of regular ones: folders, pipes, links to other files or to the folder, dangling links."""

from __future__ import annotations

from hypothesis import strategies as st

from .target import KINDS, Files

__all__ = ["with_no_files"]


def with_no_files(files: st.SearchStrategy[Files], seeds: list[Files], named: str = "") -> st.SearchStrategy[Files]:
    """Draw files; in every third input a special file replaces one of them or stands beside them.

    `named` is never replaced: it is the file on the command line, and a pipe there is read on purpose.
    """

    def replaced(files: Files, number: int, kind: str, leads: int, beside: bool) -> Files:
        names = sorted(files.keys() - {named}) or ["other"]
        name = names[number % len(names)]
        extra = name + (".data-00000-of-00001" if beside else "") + kind
        content = ("missing", name, names[leads % len(names)], ".")[leads % 4].encode()
        return {key: data for key, data in files.items() if beside or key != name} | {extra: content}

    number = st.integers(0, 11)
    with_special = st.builds(
        replaced, files | st.sampled_from(seeds), number, st.sampled_from(KINDS), number, st.booleans()
    )
    return files | files | with_special
