"""Contracts of the folders here, with the compilers of `BUILDS`; compiles them.

Run by hand after a change of a contract, in the root of the project; needs npm, and Python 3.11
for Vyper 0.3:

    .venv/bin/python -m tests.source.compiled [FOLDER ...]

writes `compiled.json.xz` of `lines`, `via_ir` and `checked`.
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from tests.failures.builds import Build
from tests.failures.compile import compile_build

FOLDERS = Path(__file__).parent
BUILDS = {
    "lines": (
        Build("plain", "solidity-0.8", "0.8.37", "cancun"),
        Build("optimized", "solidity-0.8", "0.8.37", "cancun", optimized=True),
        Build("ir", "solidity-0.8", "0.8.37", "cancun", via_ir=True),
        Build("ir-optimized", "solidity-0.8", "0.8.37", "cancun", optimized=True, via_ir=True),
    ),
    "via_ir": (
        Build("solc-0.8.28-ir", "solidity-0.8", "0.8.28", "shanghai", optimized=True, via_ir=True),
    ),
    "checked": (  # compilers that check arithmetic in different ways
        Build("solc-0.8.0", "solidity-0.8", "0.8.0", "istanbul", optimized=True),
        Build("solc-0.8.10", "solidity-0.8", "0.8.10", "london"),
        Build("solc-0.8.10-ir", "solidity-0.8", "0.8.10", "london", optimized=True, via_ir=True),
        Build("solc-0.8.19", "solidity-0.8", "0.8.19", "paris"),
        Build("solc-0.8.26", "solidity-0.8", "0.8.26", "cancun", optimized=True),
        Build("solc-0.8.26-ir", "solidity-0.8", "0.8.26", "cancun", via_ir=True),
        Build("solc-0.8.26-ir-optimized", "solidity-0.8", "0.8.26", "cancun", True, True),
        Build("vyper-0.3", "vyper-0.3", "0.3.10", "shanghai", optimized=True),
        Build("vyper-0.4", "vyper-0.4", "0.4.3", "cancun", optimized=True),
    ),
}


@cache
def compiled(folder: str) -> dict[str, Any]:
    """What the compilers wrote, by build."""
    written: dict[str, Any] = orjson.loads(
        lzma.decompress((FOLDERS / folder / "compiled.json.xz").read_bytes())
    )
    return written


def marked(folder: str, contract: str, mark: str) -> int:
    """The number of the line of a contract that ends with a mark."""
    lines = (FOLDERS / folder / contract).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(mark))


def main(folders: list[str]) -> None:
    """Compile."""
    for folder in folders or BUILDS:
        path = FOLDERS / folder
        with tempfile.TemporaryDirectory() as work:
            written = {each.name: compile_build(each, Path(work), path) for each in BUILDS[folder]}
        text = orjson.dumps(written, option=orjson.OPT_SORT_KEYS)
        packed = lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)
        (path / "compiled.json.xz").write_bytes(packed)


if __name__ == "__main__":
    main(sys.argv[1:])
