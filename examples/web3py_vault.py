"""Test a contract with web3.py: deploy, call, event, expected reverts, snapshot, time travel.

Start a node with `devchain start --network test`, then run `python examples/web3py_vault.py [URL]`.
Needs web3.py: `pip install web3`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from web3 import Web3
from web3.exceptions import ContractCustomError, ContractLogicError

ARTIFACT = json.loads((Path(__file__).parent / "contracts" / "Vault.json").read_text())
DAY = 24 * 60 * 60
RBTC = 10**18


@contextmanager
def isolated(w3: Web3) -> Iterator[None]:
    """Revert at the end what a block of code did to the chain."""
    snapshot = w3.provider.make_request("evm_snapshot", [])["result"]
    try:
        yield
    finally:
        w3.provider.make_request("evm_revert", [snapshot])


def deploy(w3: Web3, sender: str, seconds_locked: int) -> Any:
    """A new vault, locked for so long."""
    factory = w3.eth.contract(abi=ARTIFACT["abi"], bytecode=ARTIFACT["bytecode"])
    tx_hash = factory.constructor(seconds_locked).transact({"from": sender})
    receipt = w3.eth.wait_for_transaction_receipt(tx_hash)
    return w3.eth.contract(address=receipt["contractAddress"], abi=ARTIFACT["abi"])


def expect_revert(w3: Web3, call: Any, reason: str, sender: str) -> None:
    """Make sure a call reverts for that reason.

    web3.py keeps the payload; with `devchain start --revert-code 3` it keeps the text as well.
    """
    try:
        call.call({"from": sender})
    except ContractLogicError as error:
        payload = bytes.fromhex(str(error.data).removeprefix("0x"))
        (found,) = w3.codec.decode(["string"], payload[4:])
        assert found == reason, f"reverted with {found!r}, not with {reason!r}"
    else:
        raise AssertionError(f"did not revert with {reason!r}")


def test_deposit(w3: Web3, vault: Any, alice: str) -> None:
    """A deposit is stored and emits an event."""
    tx_hash = vault.functions.deposit().transact({"from": alice, "value": RBTC})
    receipt = w3.eth.get_transaction_receipt(tx_hash)
    (event,) = vault.events.Deposited().process_receipt(receipt)
    assert event["args"] == {"from": alice, "amount": RBTC}
    assert vault.functions.deposits(alice).call() == RBTC


def test_reverts(w3: Web3, vault: Any, owner: str, alice: str) -> None:
    """Reverts have a reason: a text, or a custom error with its argument."""
    expect_revert(w3, vault.functions.deposit(), "nothing to deposit", alice)
    expect_revert(w3, vault.functions.withdraw(), "the vault is still closed", owner)
    try:
        vault.functions.withdraw().call({"from": alice})
    except ContractCustomError as error:
        assert Web3.keccak(text="NotOwner(address)")[:4].hex() in str(error)
    else:
        raise AssertionError("anyone can withdraw")


def test_time_travel(w3: Web3, vault: Any, owner: str, alice: str) -> None:
    """After a day the vault opens and pays its owner."""
    vault.functions.deposit().transact({"from": alice, "value": 2 * RBTC})
    w3.provider.make_request("evm_increaseTime", [DAY])
    w3.provider.make_request("evm_mine", [])
    before = w3.eth.get_balance(owner)
    vault.functions.withdraw().transact({"from": owner, "gasPrice": 0})
    assert w3.eth.get_balance(owner) - before == 2 * RBTC


def main() -> None:
    """Run every test on one deployed vault, each from the same state."""
    w3 = Web3(Web3.HTTPProvider(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4444"))
    owner, alice = w3.eth.accounts[:2]
    vault = deploy(w3, owner, DAY)
    for name, test in (
        ("deposit", lambda: test_deposit(w3, vault, alice)),
        ("reverts", lambda: test_reverts(w3, vault, owner, alice)),
        ("time travel", lambda: test_time_travel(w3, vault, owner, alice)),
    ):
        with isolated(w3):
            test()
        sys.stdout.write(f"ok: {name}\n")
    assert w3.eth.get_balance(vault.address) == 0, "a test left something behind"


if __name__ == "__main__":
    main()
