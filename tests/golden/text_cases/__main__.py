"""Asks protobuf about every text of the tables, and writes what it says to text_cases.jsonl.

python -m tests.golden.text_cases
"""

from __future__ import annotations

from tests.golden.text_cases import FILE
from tests.golden.text_cases.asking import lines

written = lines()
FILE.write_text("".join(f"{line}\n" for line in written))
print(f"{len(written):,} cases")
