"""Drives a node for the workloads: deploys the contracts, sends transactions and calls."""

from __future__ import annotations

import json
import time
from copy import copy
from pathlib import Path
from typing import Any

from devchain.client.http import Client

CONTRACTS = json.loads((Path(__file__).parent / "contracts" / "Workloads.json").read_text())
SUPPLY = 10**24
AMPLE_GAS = hex(3_000_000)
CALL_GAS = hex(16_000_000)  # below the limit of Ethereum's newest rules
RECEIPT_SECONDS = 30.0
RECEIPT_PAUSE = 0.001


def word(value: int | str) -> str:
    """A number, or an address in hex, as 32 bytes of calldata."""
    digits = value[2:] if isinstance(value, str) else f"{value:x}"
    return digits.rjust(64, "0")


def calldata(contract: str, signature: str, *values: int | str) -> str:
    """A call of a contract's function."""
    selector: str = CONTRACTS[contract]["selectors"][signature]
    return f"0x{selector}{''.join(map(word, values))}"


class NodeDriver:
    """Operations of the workloads on a node, with a token and contracts that keep the EVM busy."""

    def __init__(self, client: Client) -> None:
        """Deploy the contracts from the node's first account."""
        self.client = client
        self.alice, self.bob = client.call("eth_accounts")[:2]
        self.token = self.deploy("Token", word(SUPPLY))
        self.callees = {
            "Kernels": self.deploy("Kernels"),
            "Matrices": self.deploy("Matrices"),
            "Router": self.deploy("Router", word(SUPPLY)),
        }

    def on(self, client: Client) -> NodeDriver:
        """The same accounts and contracts through another client: that of a fork."""
        driver = copy(self)
        driver.client = client
        return driver

    def deploy(self, contract: str, arguments: str = "") -> str:
        """Deploy a contract; its address."""
        receipt = self.send({"data": CONTRACTS[contract]["bytecode"] + arguments})
        return str(receipt["contractAddress"])

    def send(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a transaction that the node signs and mines; its receipt. It must succeed."""
        request = {"from": self.alice, "gas": AMPLE_GAS, **request}
        receipt = self._receipt(self.client.call("eth_sendTransaction", request))
        if receipt["status"] != "0x1":
            raise RuntimeError("the transaction failed")
        return receipt

    def _receipt(self, tx_hash: str) -> dict[str, Any]:
        deadline = time.monotonic() + RECEIPT_SECONDS
        while time.monotonic() < deadline:
            receipt: dict[str, Any] | None = self.client.call("eth_getTransactionReceipt", tx_hash)
            if receipt:
                return receipt
            time.sleep(RECEIPT_PAUSE)
        raise RuntimeError("the transaction was not mined")

    def transfer(self) -> dict[str, Any]:
        """An ERC-20 transfer, mined in a block of its own."""
        return self.send({"to": self.token, "data": self.transfer_data(1)})

    def transfer_data(self, amount: int) -> str:
        """The calldata of a transfer to the second account."""
        return calldata("Token", "transfer(address,uint256)", self.bob, amount)

    def estimate(self) -> int:
        """The gas that an ERC-20 transfer needs."""
        request = {"from": self.alice, "to": self.token, "data": self.transfer_data(1)}
        return int(self.client.call("eth_estimateGas", request), 16)

    def balance(self) -> int:
        """The second account's balance of the token."""
        data = calldata("Token", "balanceOf(address)", self.bob)
        return int(self.client.call("eth_call", {"to": self.token, "data": data}, "latest"), 16)

    def kernel(self, contract: str, signature: str, size: int) -> str:
        """The result of a call that keeps the EVM busy, by a function that takes a number."""
        data = calldata(contract, signature, size)
        to = self.callees[contract]
        request = {"from": self.alice, "to": to, "data": data, "gas": CALL_GAS}
        return str(self.client.call("eth_call", request, "latest"))

    def excess_transfer_reverts(self) -> bool:
        """Whether a transfer of more than the balance reverts, as it should."""
        data = self.transfer_data(SUPPLY + 1)
        request = {"from": self.bob, "to": self.token, "data": data}
        return isinstance(self.client.batch([("eth_call", request, "latest")])[0], Exception)

    def snapshot(self) -> Any:
        """The id of a snapshot."""
        return self.client.call("evm_snapshot")

    def revert(self, snapshot: Any) -> None:
        """Revert to a snapshot."""
        if self.client.call("evm_revert", snapshot) is not True:
            raise RuntimeError("evm_revert failed")

    def mine(self, blocks: int) -> None:
        """Mine that many empty blocks."""
        self.client.call("evm_mine", {"blocks": blocks})
