"""The builds that failures are tried with: compilers, versions and settings."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

COMPILED = Path(__file__).parent / "compiled"


@dataclass(frozen=True, slots=True)
class Build:
    """One compiler with its settings.

    `family` is what the table of cases tells apart: language and version, `solidity-0.8`.
    """

    name: str
    family: str
    version: str
    evm_version: str
    optimized: bool = False
    via_ir: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def language(self) -> str:
        return self.family.partition("-")[0].capitalize()

    @property
    def file(self) -> Path:
        """The compressed standard JSON, input and output."""
        return COMPILED / f"{self.name}.json.xz"

    def read(self) -> dict[str, Any]:
        """The standard JSON of the build: `input` and `output`."""
        return _read(self.file)


BUILDS = (
    Build("solc-0.4", "solidity-0.4", "0.4.26", "byzantium"),
    Build("solc-0.4-optimized", "solidity-0.4", "0.4.26", "byzantium", optimized=True),
    Build("solc-0.6", "solidity-0.6", "0.6.12", "istanbul"),
    Build("solc-0.6-optimized", "solidity-0.6", "0.6.12", "istanbul", optimized=True),
    Build("solc-0.8", "solidity-0.8", "0.8.37", "cancun"),
    Build("solc-0.8-optimized", "solidity-0.8", "0.8.37", "cancun", optimized=True),
    Build("solc-0.8-ir", "solidity-0.8", "0.8.37", "cancun", optimized=True, via_ir=True),
    Build("vyper-0.3", "vyper-0.3", "0.3.10", "shanghai", optimized=True),
    Build("vyper-0.4", "vyper-0.4", "0.4.3", "cancun", optimized=True),
)
"""EVM versions are those whose opcodes Rootstock's newest rules have."""


@cache
def _read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(lzma.decompress(file.read_bytes()))
    return found
