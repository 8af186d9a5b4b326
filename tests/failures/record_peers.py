"""Records what Hardhat and titanoboa say of the failures of the table, in `peers.json`.

Run by hand, in the root of the project; needs npm, and Python 3.11:

    .venv/bin/python -m tests.failures.record_peers [--work FOLDER]

Hardhat 2 gets the compiled files as build-infos of its own, the transactions that a node here would
get, and answers with its stack trace. Titanoboa compiles the Vyper contracts itself, with the same
version of the compiler, and calls them by name. Both are installed in the folder of `--work`, by
default one that is removed at the end.

For each build and case there is `lines`, innermost last, no more than eight (`Calls.sol:12`; null
for a frame without a source), and `text`, what is said of the failure; or null where the peer has
no stack trace. "not a failure" is a case that passes under the peer's rules, which are Ethereum's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import orjson

from devchain import Config
from devchain.types import TransactionRequest
from tests.failures.builds import BUILDS, Build
from tests.failures.cases import CASES, DEPLOYED, entry_of, vyper_name
from tests.failures.compile import install_npm, install_python
from tests.failures.world import World

PEERS = Path(__file__).parent / "peers.json"
HERE = Path(__file__).parent / "peers"
HARDHAT = "2.29.1"
BOA = {"vyper-0.3": ["titanoboa==0.1.10", "setuptools"], "vyper-0.4": ["titanoboa==0.2.8"]}


def record_hardhat(build: Build, work: Path) -> dict[str, Any]:
    """What Hardhat's own network says of each case of a build."""
    folder = install_npm("hardhat", HARDHAT, work)
    for name in ("hardhat.config.js", "run.js"):
        (folder / name).write_bytes((HERE / name).read_bytes())
    written = build.read()
    for contracts in written["output"]["contracts"].values():
        for contract in contracts.values():
            for code in ("bytecode", "deployedBytecode"):
                contract["evm"][code].setdefault("opcodes", "")
                contract["evm"][code].setdefault("immutableReferences", {})
    info = {
        "_format": "hh-sol-build-info-1",
        "id": build.name,
        "solcVersion": build.version,
        "solcLongVersion": build.version,
        **written,
    }
    artifacts = folder / "artifacts" / "build-info"
    artifacts.mkdir(parents=True, exist_ok=True)
    (artifacts / "build.json").write_bytes(orjson.dumps(info))
    world = World(build)
    plan = {
        "deployments": [described(each) for each in mined_transactions(world)],
        "cases": {
            case.name: [described(each) for each in (*world.setup(case), world.request(case))]
            for case in CASES
            if not entry_of(case.absent, build)
        },
    }
    (folder / "plan.json").write_bytes(orjson.dumps(plan))
    config = Config()
    environment = {
        **os.environ,
        "MNEMONIC": config.mnemonic,
        "DERIVATION_PATH": config.derivation_path,
        "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true",
    }
    command = ["npx", "hardhat", "run", "--no-compile", "run.js"]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    found: dict[str, Any] = orjson.loads((folder / "found.json").read_bytes())
    return found


def mined_transactions(world: World) -> list[Any]:
    """What was sent to the node, oldest first: every transaction but REMASC's."""
    sender = next(iter(world.node.accounts.addresses()))
    blocks = world.node.chain.blocks_after(0)
    return [tx for block in blocks for tx in block.transactions if tx.sender == sender]


def described(request: TransactionRequest | Any) -> dict[str, str | None]:
    """A transaction as JSON-RPC takes it, without sender."""
    return {
        "to": f"0x{request.to.hex()}" if request.to else None,
        "data": f"0x{request.data.hex()}",
        "value": hex(request.value or 0),
        "gas": hex(request.gas or 6_000_000),
    }


def record_boa(build: Build, work: Path) -> dict[str, Any]:
    """What titanoboa says of each case of a build."""
    python = install_python(
        f"boa-{build.version}", [f"vyper=={build.version}", *BOA[build.family]], work
    )
    folder = work / f"boa-{build.name}"
    folder.mkdir(exist_ok=True)
    for path, source in build.read()["input"]["sources"].items():
        (folder / path).write_text(source["content"])
    world = World(build)
    plan = {
        "deployed": {
            name: [vyper_name(name), arguments[: len(world.constructor(name).inputs)]]
            for name, arguments in DEPLOYED.items()
            if name in world.deployed
        },
        "cases": {
            case.name: {
                "contract": case.contract("Vyper"),
                "function": case.function("Vyper"),
                "arguments": [described_argument(each) for each in case.arguments],
                "value": case.value,
                "gas": case.gas,
                "data": None if case.data is None else world.request(case).data.hex(),
                "at": world.callee(case),
                "is_proxy": bool(case.at),
                "setup": case.setup,
            }
            for case in CASES
            if not entry_of(case.absent, build)
        },
    }
    (folder / "plan.json").write_bytes(orjson.dumps(plan))
    subprocess.run([python, str(HERE / "run_boa.py")], cwd=folder, check=True)
    found: dict[str, Any] = orjson.loads((folder / "found.json").read_bytes())
    return found


def described_argument(argument: Any) -> Any:
    """An argument in JSON: bytes as `{"hex": ...}`, large integers as `{"int": ...}`."""
    if isinstance(argument, bytes):
        return {"hex": argument.hex()}
    if isinstance(argument, int):
        return {"int": str(argument)}
    return (
        [described_argument(each) for each in argument] if isinstance(argument, list) else argument
    )


def main() -> None:
    """Ask both peers and write the file."""
    parser = argparse.ArgumentParser(prog="tests.failures.record_peers")
    parser.add_argument("--work", type=Path, help="folder with what is installed, kept")
    parser.add_argument("--only", nargs="*", choices=[each.name for each in BUILDS])
    options = parser.parse_args()
    recorded = orjson.loads(PEERS.read_bytes()) if PEERS.exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).absolute()
        for build in BUILDS:
            if options.only is None or build.name in options.only:
                record = record_hardhat if build.language == "Solidity" else record_boa
                recorded[build.name] = record(build, work)
    PEERS.write_text(_written(recorded), encoding="utf-8")


def _written(recorded: dict[str, dict[str, Any]]) -> str:
    """The answers as JSON, a line for each case."""
    builds = []
    for build, cases in sorted(recorded.items()):
        lines = [
            f'  "{name}": {orjson.dumps(each).decode()}' for name, each in sorted(cases.items())
        ]
        builds.append(f'"{build}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(builds) + "\n}\n"


if __name__ == "__main__":
    main()
