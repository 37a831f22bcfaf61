"""Compare two checkpoints tensor by tensor: what changed most between two steps of a training.

python examples/compare_checkpoints.py tests/data/trained/model tests/data/trained/model
"""

import sys

import tfmodel


def main(before: str, after: str) -> None:
    report = tfmodel.compare_values(before, after)
    print(report)


if __name__ == "__main__":
    main(*sys.argv[1:])
