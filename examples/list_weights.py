"""List the weights of a model by size, and show the values of the largest.

python examples/list_weights.py tests/data/convnet.pb
"""

import sys

import tfmodel


def main(path: str) -> None:
    weights = sorted(tfmodel.Model(path).weights(), key=lambda weight: -(weight.bytes or 0))
    for weight in weights[:5]:
        print(f"{weight.name:40} {weight.dtype:8} {weight.shape}")
    values = weights[0].read()
    print(f"{weights[0].name}: {values.min():.4f} to {values.max():.4f}, mean {values.mean():.4f}")


if __name__ == "__main__":
    main(sys.argv[1])
