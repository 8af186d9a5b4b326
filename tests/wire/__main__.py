"""Write the answers of golden exchanges anew: `python -m tests.wire [METHOD…]`."""

from __future__ import annotations

import sys

from tests.wire.exchange import goldens


def main(methods: list[str]) -> None:
    """Play the goldens of those methods, or all, and keep what a node answers now."""
    for golden in goldens():
        played = golden.played()
        if played != golden and (not methods or golden.path.parent.name in methods):
            played.write()
            sys.stderr.write(f"redrawn: {golden.name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
