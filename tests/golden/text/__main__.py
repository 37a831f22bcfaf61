"""Parse every text of the tables with protobuf and write the results to answers.jsonl.

python -m tests.golden.text
"""

from __future__ import annotations

from tests.golden.text import FILE
from tests.golden.text.answers import lines

written = lines()
FILE.write_text("".join(f"{line}\n" for line in written))
print(f"{len(written):,} cases")
