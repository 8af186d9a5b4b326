"""Compilers and tools in place of the real ones, which tests put on their path."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def program(file: Path, text: str) -> Path:
    """A program in Python at a path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!{sys.executable}\n{text}")
    file.chmod(0o755)
    return file


def solc(file: Path, version: str, *names: str) -> Path:
    """A solc that answers contracts of these names for each source, and keeps its input.

    Its input is beside it, in `given.json`, with a line for each run.
    """
    return program(
        file,
        f"""
import json, sys
if "--version" in sys.argv:
    print("solc, the compiler\\nVersion: {version}+commit.0.Linux.g++")
    sys.exit()
given = json.load(sys.stdin)
with open({str(file.parent / "given.json")!r}, "a") as kept:
    kept.write(json.dumps(given) + "\\n")
code = {{"object": "6001600055", "sourceMap": ""}}
contract = {{"abi": [], "evm": {{"bytecode": code, "deployedBytecode": code}}}}
named = {{name: contract for name in {list(names)!r}}}
print(json.dumps({{
    "contracts": {{path: named for path in given["sources"]}},
    "sources": {{path: {{"id": number}} for number, path in enumerate(given["sources"])}},
}}))
""",
    )


def inputs(solc: Path) -> list[Any]:
    """What a solc of this module was given, in order."""
    kept = solc.parent / "given.json"
    return [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
