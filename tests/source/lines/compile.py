"""Compiles `Lines.sol` with every compiler of `BUILDS`, to `compiled.json.xz`.

Run by hand after a change of the contract, in the root of the project; needs npm:

    .venv/bin/python -m tests.source.lines.compile
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
    Build("plain", "solidity-0.8", "0.8.37", "cancun"),
    Build("optimized", "solidity-0.8", "0.8.37", "cancun", optimized=True),
    Build("ir", "solidity-0.8", "0.8.37", "cancun", via_ir=True),
    Build("ir-optimized", "solidity-0.8", "0.8.37", "cancun", optimized=True, via_ir=True),
)


def main() -> None:
    """Compile."""
    with tempfile.TemporaryDirectory() as work:
        found = {each.name: compile_build(each, Path(work), FOLDER) for each in BUILDS}
    text = orjson.dumps(found, option=orjson.OPT_SORT_KEYS)
    COMPILED.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
