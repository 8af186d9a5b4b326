"""What each step of a run imports: the time to start is almost all imports."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache

import pytest

PROGRAM = """
import json, sys

STANDARD = sys.stdlib_module_names
steps = {}

def note(step):
    tops = {each.partition(".")[0] for each in sys.modules.keys() - before} - STANDARD
    slow = {"asyncio", "ssl", "sqlite3"} & (sys.modules.keys() - before)
    own = [each for each in sys.modules if each.startswith(("devchain.", "eth_typing.", "py_ecc."))]
    steps[step] = [*tops, *slow, *own]

before = set(sys.modules)
import devchain
note("import")
node = devchain.Node()
note("Node")
client = devchain.connect(node)
client.call("eth_blockNumber")
note("eth_blockNumber")
first, second = ("0x" + each.hex() for each in node.accounts.addresses()[:2])
client.call("eth_sendTransaction", {"from": first, "to": second, "value": "0x1"})
note("eth_sendTransaction")
print(json.dumps(steps))
"""

EVM = {
    "Crypto",
    "annotated_types",
    "blake2b",
    "cached_property",
    "ckzg",
    "coincurve",
    "cytoolz",
    "eth",
    "eth_bloom",
    "eth_hash",
    "eth_keys",
    "eth_typing",
    "eth_utils",
    "hexbytes",
    "lru",
    "orjson",
    "py_ecc",
    "pydantic",
    "pydantic_core",
    "rlp",
    "sha3",
    "toolz",
    "trie",
    "typing_extensions",
    "typing_inspection",
}
"""The third-party packages that a node with a transaction needs, pydantic through eth-utils."""

NEVER = {
    "btclib",
    "devchain.bitcoin",
    "eth_account",
    "eth_abi",
    "eth_keyfile",
    "devchain.chain.storage.data_dir",
    "devchain.contracts.artifact_formats",
    "devchain.source.coverage",
    "devchain.contracts.outline",
    "devchain.evm.compiler.region",
    "devchain.node.simulation",
    "devchain.tracing.recorder",
    "parsimonious",
    "py_ecc.bls",
    "py_ecc.bls12_381",
    "py_ecc.optimized_bls12_381",
    "sqlite3",
    "quart",
    "rich",
    "typer",
    "web3",
}
"""Packages and modules that take long, and that none of these steps needs."""


@cache
def steps() -> dict[str, set[str]]:
    """What has been imported after each step: third-party packages, modules of devchain's own."""
    command = [sys.executable, "-c", PROGRAM]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {step: set(names) for step, names in json.loads(output).items()}


def third_party(names: set[str]) -> set[str]:
    """Packages by others, without what starts with the interpreter or belongs to Cython."""
    return {each for each in names if "." not in each and not each.startswith("_")} - {
        "cython_runtime",
        "devchain",
        "asyncio",
        "ssl",
        "sqlite3",
    }


class TestSteps:
    def test_import(self) -> None:
        """`import devchain` imports nothing but its errors."""
        assert steps()["import"] <= {"devchain", "devchain.errors"}

    @pytest.mark.parametrize("step", ["Node", "eth_blockNumber", "eth_sendTransaction"])
    def test_third_party(self, step: str) -> None:
        """A node and its first transfer import what the EVM and keys need, and nothing else."""
        names = steps()[step]

        assert third_party(names) <= EVM
        assert names & NEVER == set()
