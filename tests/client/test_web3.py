"""`devchain.client.web3`"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from web3 import AsyncWeb3, Web3
from web3.exceptions import ContractCustomError, ContractLogicError, Web3RPCError

import devchain.client.web3
import devchain.web3
from devchain.client.web3 import async_provider, provider
from devchain.config import Config
from devchain.node import Node
from tests.accounts import BOB
from tests.contracts.vault import WRITTEN


@pytest.fixture
def w3(node: Node) -> Web3:
    """web3.py on `node`."""
    return Web3(provider(node))


@pytest.fixture
def vault(w3: Web3) -> Any:  # web3.py makes the class
    """A vault, deployed through web3.py."""
    factory = w3.eth.contract(abi=WRITTEN["abi"], bytecode=WRITTEN["bytecode"])
    tx_hash = factory.constructor(100).transact({"from": w3.eth.accounts[0]})
    receipt = w3.eth.wait_for_transaction_receipt(tx_hash)
    return w3.eth.contract(address=receipt["contractAddress"], abi=WRITTEN["abi"])


class TestProvider:
    """`provider`: web3.py works as over HTTP."""

    def test_transactions_and_events(self, w3: Web3, vault: Any) -> None:
        """Transactions, receipts and events."""
        tx_hash = vault.functions.deposit().transact({"from": w3.eth.accounts[1], "value": 5})

        (event,) = vault.events.Deposited().process_receipt(w3.eth.get_transaction_receipt(tx_hash))
        assert event["args"] == {"from": w3.eth.accounts[1], "amount": 5}
        assert w3.is_connected()

    def test_reverts(self, vault: Any) -> None:
        """A revert is a ContractLogicError with its text, a custom error a ContractCustomError."""
        with pytest.raises(ContractLogicError, match="nothing to deposit"):
            vault.functions.deposit().call()
        with pytest.raises(ContractCustomError):
            vault.functions.withdraw().call({"from": Web3.to_checksum_address(BOB)})

    def test_other_errors_are_as_over_http(self, w3: Web3) -> None:
        """Other errors are Web3RPCErrors."""
        with pytest.raises(Web3RPCError, match="does not exist"):
            w3.manager.request_blocking("eth_nothing", [])  # type: ignore[arg-type]  # no such method

    def test_batches(self, w3: Web3) -> None:
        """The results of a batch are in order."""
        account = w3.eth.accounts[0]
        with w3.batch_requests() as batch:
            batch.add(w3.eth.get_balance(account))
            batch.add(w3.eth.get_block("latest"))
            balance, block = batch.execute()

        assert balance == 10_000 * 10**18
        assert block["number"] == 0

    def test_configured_code(self, config: Config) -> None:
        """A configured `revert_code` replaces 3."""
        with Node(Config(revert_code=-32015)) as node:
            request = {"data": "0x60006000fd"}

            reply = provider(node).make_request("eth_call", [request])

        assert reply["error"]["code"] == -32015


def test_public_module() -> None:
    """`devchain.web3`, which programs import, has the providers of `devchain.client.web3`."""
    assert devchain.web3.__all__ == devchain.client.web3.__all__
    for name in devchain.web3.__all__:
        assert getattr(devchain.web3, name) is getattr(devchain.client.web3, name)


def test_async(node: Node) -> None:
    """AsyncWeb3 works, batches too."""

    async def run() -> tuple[int, int, list[Any], bool]:
        w3 = AsyncWeb3(async_provider(node))
        async with w3.batch_requests() as batch:
            batch.add(w3.eth.get_block("latest"))
            blocks = await batch.async_execute()
        answers = await w3.eth.chain_id, await w3.eth.block_number, blocks, await w3.is_connected()
        await w3.provider.disconnect()
        return answers

    chain_id, height, (block,), connected = asyncio.run(run())

    assert (chain_id, height, block["number"], connected) == (31, 0, 0, True)
