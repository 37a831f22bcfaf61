"""Scan a folder of models before anything runs them: one line a model, and status 1 if one is unsafe or broken.

python examples/scan_folder.py tests/data

`tfmodel check tests/data` does the same, with --jobs for several processes and --sarif for code-scanning services.
"""

import sys

import tfmodel


def findings(path: str) -> str:
    try:
        report = tfmodel.check(path)
    except (tfmodel.Error, OSError) as error:  # everything that a damaged file can raise
        return f"cannot be read: {error}"
    return "; ".join(f"{finding.level}: {finding.message}" for finding in report.findings) or "nothing found"


def main(folder: str) -> int:
    is_bad = False
    for path in tfmodel.find_models(folder, skipped=lambda path, reason: print(f"{path}: skipped: {reason}")):
        result = findings(path)
        is_bad |= result != "nothing found"
        print(f"{path}: {result}")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
