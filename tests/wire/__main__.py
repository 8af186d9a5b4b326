"""Rewrite the responses of golden exchanges: `python -m tests.wire [METHOD…]`."""

from __future__ import annotations

import sys

from tests.wire.exchange import goldens


def main(methods: list[str]) -> None:
    """Send the requests of those methods, or all, and write the files that changed."""
    for golden in goldens():
        played = golden.played()
        if played != golden and (not methods or golden.path.parent.name in methods):
            played.write()
            sys.stderr.write(f"rewritten: {golden.name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
