"""Test a contract over raw JSON-RPC with nothing but the standard library.

Start a node with `devchain start --network test`, then run `python examples/stdlib_vault.py [URL]`.
The same steps as `web3py_vault.py`, to show what goes over the wire.
"""

from __future__ import annotations

import itertools
import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

ARTIFACT = json.loads((Path(__file__).parent / "contracts" / "Vault.json").read_text())
URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4444"
DAY = 24 * 60 * 60
RBTC = 10**18

# The first four bytes of the Keccak-256 of each signature; solc prints them with --hashes.
DEPOSIT = "0xd0e30db0"
DEPOSITS = "0xfc7e286d"
WITHDRAW = "0x3ccfd60b"
NOT_OWNER = "0x245aecd3"

ids = itertools.count(1)


def rpc(method: str, *params: Any) -> dict[str, Any]:
    """The response to one call."""
    request = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}
    http = urllib.request.Request(
        URL, json.dumps(request).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(http) as response:
        return json.load(response)


def ask(method: str, *params: Any) -> Any:
    """The result of one call that must succeed."""
    answer = rpc(method, *params)
    assert "error" not in answer, answer["error"]
    return answer["result"]


def word(number: int) -> str:
    """A number as 32 bytes of hex, without 0x."""
    return f"{number:064x}"


def send(sender: str, **fields: Any) -> dict[str, Any]:
    """Send a transaction with exactly the gas it needs; its receipt."""
    request = {"from": sender, **fields}
    request["gas"] = ask("eth_estimateGas", request)
    receipt = ask("eth_getTransactionReceipt", ask("eth_sendTransaction", request))
    assert receipt["status"] == "0x1", "the transaction failed"
    return receipt


def main() -> None:
    """Deploy, deposit, read the event, expect reverts, snapshot, travel in time, withdraw."""
    owner, alice = ask("eth_accounts")[:2]
    vault = send(owner, data=ARTIFACT["bytecode"] + word(DAY))["contractAddress"]
    sys.stdout.write(f"vault deployed at {vault}\n")

    receipt = send(alice, to=vault, data=DEPOSIT, value=hex(RBTC))
    (log,) = receipt["logs"]
    assert int(log["topics"][1], 16) == int(alice, 16)
    assert int(log["data"], 16) == RBTC
    stored = ask("eth_call", {"to": vault, "data": DEPOSITS + word(int(alice, 16))}, "latest")
    assert int(stored, 16) == RBTC

    closed = rpc("eth_call", {"from": owner, "to": vault, "data": WITHDRAW}, "latest")["error"]
    assert closed["message"].endswith("execution reverted: the vault is still closed"), closed
    reverted = rpc("eth_call", {"from": alice, "to": vault, "data": WITHDRAW}, "latest")["error"]
    assert reverted["data"] == NOT_OWNER + word(int(alice, 16)), reverted
    sys.stdout.write(f"reverts as it should: {closed['message']}\n")

    snapshot = ask("evm_snapshot")
    ask("evm_increaseTime", DAY)
    send(owner, to=vault, data=WITHDRAW)
    assert ask("eth_getBalance", vault) == "0x0"
    assert ask("evm_revert", snapshot)
    assert ask("eth_getBalance", vault) == hex(RBTC)
    sys.stdout.write("a day later the vault paid out; the snapshot reverted that\n")


if __name__ == "__main__":
    main()
