"""Compiles the contracts of a `contracts/` with every compiler, to `compiled/*.json.xz`.

Run by hand after a change of the contracts, in the root of the project; needs npm, and Python 3.11
for Vyper 0.3:

    .venv/bin/python -m tests.failures.compile [--work FOLDER] [--only BUILD ...] [--values]

Those of `tests/values` with `--values`, else of this folder. The compilers come from npm (solc)
and PyPI (vyper). They are installed in the folder of `--work`, by default one that is removed at
the end. Each file has the form of Hardhat's build-info: the standard JSON given to the compiler as
`input`, what it wrote as `output`, without what nothing here reads.
"""

from __future__ import annotations

import argparse
import lzma
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import orjson

from tests.failures.builds import BUILDS, COMPILED, Build
from tests.failures.sources import CONTRACTS, version_sources

SOLC_OUTPUT = [
    "abi",
    "metadata",
    "storageLayout",
    "evm.methodIdentifiers",
    *(
        f"evm.{code}.{part}"
        for code in ("bytecode", "deployedBytecode")
        for part in (
            "object",
            "sourceMap",
            "linkReferences",
            "immutableReferences",
            "generatedSources",
            "functionDebugData",
        )
    ),
]
VYPER_OUTPUT = [
    "abi",
    "layout",
    "metadata",
    "ast",
    "evm.methodIdentifiers",
    "evm.bytecode.object",
    "evm.deployedBytecode.object",
]
VYPER_MAPS = {
    "vyper-0.3": ["evm.deployedBytecode.sourceMap", "evm.deployedBytecode.sourceMapFull"],
    "vyper-0.4": ["evm.bytecode.sourceMap", "evm.deployedBytecode.sourceMap"],
}
"""Source maps; vyper 0.3 writes none of the creation code, and the other's in two forms."""

RUN_SOLC = """
const solc = require(process.argv[1]);
const compile = solc.compileStandardWrapper || solc.compile; // 0.4 has the former
process.stdout.write(compile(require("fs").readFileSync(0, "utf8")));
"""
RUN_VYPER = """
import json, sys
from vyper.cli import vyper_json
print(json.dumps(vyper_json.compile_json(json.load(sys.stdin)), default=str))
"""

VALUES = Path(__file__).parents[1] / "values"

NOT_READ = frozenset({"documentation", "userdoc", "devdoc"})


def compiler_input(build: Build, contracts: Path = CONTRACTS) -> dict[str, Any]:
    """The standard JSON for a build of a folder of contracts."""
    sources = version_sources(build.language, build.family.rpartition("-")[2], contracts)
    settings: dict[str, Any] = {"evmVersion": build.evm_version}
    if build.language == "Solidity":
        settings["optimizer"] = {"enabled": build.optimized, "runs": 200}
        if build.via_ir:
            settings["viaIR"] = True
        settings["outputSelection"] = {"*": {"*": SOLC_OUTPUT, "": ["ast"]}}
    else:
        settings["optimize"] = "gas" if build.optimized else "none"
        maps = VYPER_MAPS[build.family]
        settings["outputSelection"] = {"*": [*VYPER_OUTPUT, *maps]}
    return {
        "language": build.language,
        "sources": {path: {"content": text} for path, text in sources.items()},
        "settings": settings,
    }


def compile_build(build: Build, work: Path, contracts: Path) -> dict[str, Any]:
    """Compile everything for a build, with a compiler installed in the folder `work`."""
    written = orjson.dumps(compiler_input(build, contracts))
    if build.language == "Solidity":
        solc = install_npm("solc", build.version, work) / "node_modules" / "solc"
        command = ["node", "-e", RUN_SOLC, str(solc)]
    else:
        wanted = [f"vyper=={build.version}", "setuptools"]
        command = [install_python(f"vyper-{build.version}", wanted, work), "-c", RUN_VYPER]
    output = orjson.loads(
        subprocess.run(command, input=written, stdout=subprocess.PIPE, check=True).stdout
    )
    errors = [each for each in output.get("errors", ()) if each["severity"] == "error"]
    if errors:
        shown = (each.get("formattedMessage") or each["message"] for each in errors)
        sys.exit(f"{build.name}:\n" + "\n".join(shown))
    output.pop("errors", None)
    return {"input": orjson.loads(written), "output": stripped(output)}


def stripped(output: Any) -> Any:
    """The compiler's output without empty and unread parts."""
    if isinstance(output, dict):
        return {
            key: stripped(value)
            for key, value in output.items()
            if key not in NOT_READ and not (key == "generatedSources" and not value)
        }
    return [stripped(each) for each in output] if isinstance(output, list) else output


def install_npm(package: str, version: str, work: Path) -> Path:
    """A folder with that package in its `node_modules`; it is installed if it is not there."""
    folder = work / f"{package}-{version}"
    if not (folder / "node_modules").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        quiet = ["--no-audit", "--no-fund", "--silent"]
        subprocess.run(["npm", "install", *quiet, f"{package}@{version}"], cwd=folder, check=True)
    return folder


def install_python(name: str, packages: list[str], work: Path) -> str:
    """The Python of an environment with these packages; it is made if it is not there."""
    folder = work / name
    python = folder / "bin" / "python"
    if not python.is_file():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
    return str(python)


def main() -> None:
    """Compile the builds that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__, prog="tests.failures.compile")
    parser.add_argument("--work", type=Path, help="folder with the compilers, kept")
    parser.add_argument("--only", nargs="*", choices=[each.name for each in BUILDS])
    parser.add_argument("--values", action="store_true", help="those of tests/values")
    options = parser.parse_args()
    compiled_at = VALUES / "compiled" if options.values else COMPILED
    contracts = VALUES / "contracts" if options.values else CONTRACTS
    compiled_at.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for build in BUILDS:
            if options.only is None or build.name in options.only:
                compiled = compile_build(build, options.work or Path(temporary), contracts)
                text = orjson.dumps(compiled, option=orjson.OPT_SORT_KEYS)
                packed = lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)
                (compiled_at / build.file.name).write_bytes(packed)
                print(f"{build.name:20} {len(text):9,} bytes, {len(packed):7,} packed")  # noqa: T201


if __name__ == "__main__":
    main()
