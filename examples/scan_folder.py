"""Scan a folder of models before anything runs them: one line a file, and status 1 if one is unsafe or broken.

python examples/scan_folder.py tests/data
"""

import sys
from pathlib import Path

import tfmodel

SUFFIXES = (".pb", ".pbtxt", ".meta", ".h5", ".keras")


def findings(path: Path) -> str:
    try:
        report = tfmodel.check(path)
    except (tfmodel.Error, OSError) as error:  # everything that a damaged file can raise
        return f"cannot be read: {error}"
    return "; ".join(f"{finding.level}: {finding.message}" for finding in report.findings) or "nothing found"


def main(folder: str) -> int:
    is_bad = False
    for path in sorted(path for path in Path(folder).iterdir() if path.suffix in SUFFIXES):
        result = findings(path)
        is_bad |= result != "nothing found"
        print(f"{path.name}: {result}")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
