"""Compiles `Checked.sol` and `checked.vy` with every compiler of `BUILDS`, to `compiled.json.xz`.

Run by hand after a change of the contracts, in the root of the project; needs npm, and Python 3.11
for Vyper 0.3:

    .venv/bin/python -m tests.source.checked.compile
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
    Build("solc-0.8.0", "solidity-0.8", "0.8.0", "istanbul", optimized=True),
    Build("solc-0.8.10", "solidity-0.8", "0.8.10", "london"),
    Build("solc-0.8.10-ir", "solidity-0.8", "0.8.10", "london", optimized=True, via_ir=True),
    Build("solc-0.8.19", "solidity-0.8", "0.8.19", "paris"),
    Build("solc-0.8.26", "solidity-0.8", "0.8.26", "cancun", optimized=True),
    Build("solc-0.8.26-ir", "solidity-0.8", "0.8.26", "cancun", via_ir=True),
    Build("solc-0.8.26-ir-optimized", "solidity-0.8", "0.8.26", "cancun", True, True),
    Build("vyper-0.3", "vyper-0.3", "0.3.10", "shanghai", optimized=True),
    Build("vyper-0.4", "vyper-0.4", "0.4.3", "cancun", optimized=True),
)
"""Compilers that check arithmetic in different ways."""


def main() -> None:
    """Compile all."""
    with tempfile.TemporaryDirectory() as work:
        found = {each.name: compile_build(each, Path(work), FOLDER) for each in BUILDS}
    text = orjson.dumps(found, option=orjson.OPT_SORT_KEYS)
    COMPILED.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
