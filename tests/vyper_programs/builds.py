"""Compilers of drawn programs: settings of vyper, each version in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from tests.failures.compile import VYPER_MAPS, VYPER_OUTPUT, install_python, stripped

ENVIRONMENTS = Path(__file__).parents[2] / ".venv-vyper"
RUN_VYPER = """
import json, sys
from vyper.cli import vyper_json
written, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    try:
        found = vyper_json.compile_json(json.loads(line))
    except Exception as error:
        found = {"errors": [{"severity": "error", "message": f"{type(error).__name__}: {error}"}]}
    print(json.dumps(found, default=str), file=written, flush=True)
"""


class NotCompiled(Exception):
    """Vyper refused a program, or failed itself."""


@dataclass(frozen=True, eq=False, slots=True)
class Build:
    """A version of vyper with its settings."""

    name: str
    version: str
    evm_version: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def compile(self, sources: Mapping[str, str]) -> dict[str, Any]:
        """The build-info of sources: `input` and `output`. Raises `NotCompiled`."""
        maps = VYPER_MAPS[f"vyper-{self.version[:3]}"]
        given = {
            "language": "Vyper",
            "sources": {path: {"content": text} for path, text in sources.items()},
            "settings": {
                "evmVersion": self.evm_version,
                **self.settings,
                "outputSelection": {"*": [*VYPER_OUTPUT, *maps]},
            },
        }
        process = _compiler(self.version)
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        output = orjson.loads(process.stdout.readline())
        errors = [each for each in output.pop("errors", ()) if each["severity"] == "error"]
        if errors:
            raise NotCompiled(errors[0].get("formattedMessage") or errors[0]["message"])
        return {"input": given, "output": stripped(output)}


BUILDS = (
    Build("0.3-none", "0.3.10", "shanghai", {"optimize": "none"}),
    Build("0.3-gas", "0.3.10", "shanghai", {"optimize": "gas"}),
    Build("0.4-none", "0.4.3", "cancun", {"optimize": "none"}),
    Build("0.4-gas", "0.4.3", "cancun", {"optimize": "gas"}),
    Build("0.4-codesize", "0.4.3", "cancun", {"optimize": "codesize"}),
    Build("0.4-venom", "0.4.3", "cancun", {"optimize": "gas", "experimentalCodegen": True}),
)


@cache
def _compiler(version: str) -> subprocess.Popen[str]:
    """A process that compiles; it ends when its stdin is closed with ours."""
    wanted = [f"vyper=={version}", "setuptools"]
    python = install_python(f"vyper-{version}", wanted, ENVIRONMENTS)
    pipe = subprocess.PIPE
    command = [python, "-W", "ignore", "-c", RUN_VYPER]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
