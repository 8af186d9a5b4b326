"""Drawn programs as they were compiled, for tests that have no compiler."""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from tests.vyper_programs.builds import BUILDS
from tests.vyper_programs.check import NAME
from tests.vyper_programs.drawn import Program, draw_program

FILE = Path(__file__).with_name("compiled.json.xz")
SEEDS = range(4)
SIZE = 2
RECORDED = ("0.3-gas", "0.4-none", "0.4-gas")
"""Builds whose output is kept."""


def recorded_program(seed: int) -> Program:
    """The program of a seed, smaller than others."""
    return draw_program(seed, SIZE)


def record() -> None:
    """Compile the programs; run it after a change of what is drawn."""
    found = {
        build.name: [
            build.compile({f"{NAME}.vy": recorded_program(seed).text(build.version)})
            for seed in SEEDS
        ]
        for build in BUILDS
        if build.name in RECORDED
    }
    FILE.write_bytes(lzma.compress(orjson.dumps(found), preset=9 | lzma.PRESET_EXTREME))


@cache
def recorded() -> dict[str, list[dict[str, Any]]]:
    """Build-infos of the programs by build."""
    found: dict[str, list[dict[str, Any]]] = orjson.loads(lzma.decompress(FILE.read_bytes()))
    return found
