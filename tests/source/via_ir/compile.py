"""Compiles `Box.sol` with solc, optimizer and viaIR, to `compiled.json.xz`.

Run by hand after a change of the contract, in the root of the project; needs npm:

    .venv/bin/python -m tests.source.via_ir.compile
"""

from __future__ import annotations

import lzma
import tempfile
from pathlib import Path

import orjson

from tests.failures.builds import Build
from tests.failures.compile import compile_build

FOLDER = Path(__file__).parent
COMPILED = FOLDER / "compiled.json.xz"

BUILDS = (
    Build("solc-0.8.28-ir", "solidity-0.8", "0.8.28", "shanghai", optimized=True, via_ir=True),
)


def main() -> None:
    """Compile all."""
    with tempfile.TemporaryDirectory() as work:
        found = {each.name: compile_build(each, Path(work), FOLDER) for each in BUILDS}
    text = orjson.dumps(found, option=orjson.OPT_SORT_KEYS)
    COMPILED.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
