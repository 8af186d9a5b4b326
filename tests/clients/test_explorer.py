"""The explorer in headless Chromium: every view, live, by mouse and keyboard, and axe's rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from devchain.client.http import HttpClient
from devchain.contracts.abi import Abi
from tests.clients.conftest import START, Run
from tests.server.explorer import bazaar
from tests.server.explorer.conftest import HOSTILE, artifacts

FOLDER = Path(__file__).parent / "explorer"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
GAS = hex(3_000_000)
LOCAL = pytest.mark.parametrize("options", [["--network", "local"]])  # with a Bitcoin of regtest

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or shutil.which("npm") is None,
    reason="needs npm, and Chromium: apt-get install chromium, or its path in CHROMIUM",
)


def filled(node: HttpClient) -> dict[str, object]:
    """What was done on the node: addresses, and hashes of transactions by name.

    Before it, with many empty blocks between, `bazaar.fill`.
    """
    made = bazaar.fill(node.call)
    node.call("devchain_addArtifacts", artifacts())
    compiled = artifacts()["output"]["contracts"]["contracts/Market.sol"]
    accounts = node.call("eth_accounts")
    first, second, third = accounts[:3]
    hashes: dict[str, str] = {}

    def send(sender: str, data: bytes = b"", to: str | None = None, **more: str) -> str:
        request = {"from": sender, "gas": GAS, "data": f"0x{data.hex()}", **more}
        tx_hash: str = node.call("eth_sendTransaction", request | ({"to": to} if to else {}))
        return tx_hash

    def deploy(name: str, *arguments: object) -> str:
        abi = Abi.from_json(compiled[name]["abi"])
        code = bytes.fromhex(compiled[name]["evm"]["bytecode"]["object"])
        tx_hash = send(first, code + abi.constructor.encode(arguments))
        created: str = node.call("eth_getTransactionReceipt", tx_hash)["contractAddress"]
        return created

    def call(sender: str, to: str, name: str, function: str, *arguments: object) -> str:
        entry = Abi.from_json(compiled[name]["abi"]).functions_named(function)[0]
        return send(sender, entry.selector + entry.encode(arguments), to)

    token = deploy("Token", "Dollar on Chain", 10**24)
    vault = deploy("Vault", token)
    hashes["transfer"] = send(first, to=second, value=hex(10**18))
    call(first, token, "Token", "transfer", second, 500)
    call(second, token, "Token", "approve", vault, 2**200)
    hashes["deposit"] = call(second, vault, "Vault", "deposit", 100, "first deposit")
    hashes["rename"] = call(first, token, "Token", "rename", HOSTILE)
    hashes["long"] = call(second, vault, "Vault", "deposit", 1, HOSTILE + "W" * 30_000)
    hashes["failed"] = call(third, vault, "Vault", "withdraw", 1)
    hashes["nested"] = call(third, vault, "Vault", "deposit", 5, "x")
    account = accounts[0]
    return {
        "pegIn": node.call("devchain_pegIn", account, 15 * 10**7),
        "pegOut": node.call("devchain_pegOut", account, 10**8),
        "token": token,
        "vault": vault,
        "accounts": accounts,
        "hashes": hashes,
        "bazaar": asdict(made),
    }


@LOCAL
def test_browser(npm: Run, url: str) -> None:
    """Every view works, fits narrow and wide screens, and has no serious fault."""
    npm(FOLDER, "install", "--no-package-lock", "--no-audit", "--no-fund")

    with closing(HttpClient(url)) as node:
        facts = json.dumps(filled(node))
    printed = npm(FOLDER, "test", FACTS=facts, CHROMIUM=str(CHROMIUM))

    assert "not ok" not in printed


@LOCAL
def test_fork(npm: Run, url: str, options: list[str], tmp_path: Path) -> None:
    """The same pages on a fork, where all of that was done before the fork block."""
    npm(FOLDER, "install", "--no-package-lock", "--no-audit", "--no-fund")
    with closing(HttpClient(url)) as node:
        facts = json.dumps(filled(node))

    fork = [*START, *options, "--fork-url", url, "--fork-cache", str(tmp_path / "facts.sqlite")]
    with subprocess.Popen(fork, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            fork_url = process.stdout.readline().split()[-1]
            with closing(HttpClient(fork_url)) as node:
                node.call("devchain_addArtifacts", artifacts())
                first, second = node.call("eth_accounts")[:2]
                node.call("eth_sendTransaction", {"from": first, "to": second, "value": "0x1"})
            printed = npm(
                FOLDER,
                *("test", "--", "--test-name-pattern=every page fits"),
                FACTS=facts,
                CHROMIUM=str(CHROMIUM),
                DEVCHAIN_URL=fork_url,
            )
        finally:
            process.terminate()

    assert "not ok" not in printed
    assert "pass 3" in printed
