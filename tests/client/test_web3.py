"""`devchain.client.web3`"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from eth_utils.toolz import curry
from web3 import AsyncWeb3, Web3
from web3.exceptions import ContractCustomError, ContractLogicError, Web3RPCError
from web3.middleware import Web3Middleware
from web3.providers.base import JSONBaseProvider

import devchain.client.web3
import devchain.web3
from devchain.client.web3 import NodeProvider, async_provider, provider
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


class Recording(NodeProvider):
    """A provider that records the transactions it is sent."""

    def __init__(self, node: Node) -> None:
        """A provider over the node."""
        super().__init__(node)
        self.sent: list[Any] = []
        self.asked: list[str] = []

    def make_request(self, method: Any, params: Any) -> Any:
        """The answer to one request."""
        self.asked.append(method)
        if method == "eth_sendTransaction":
            self.sent.append(params)
        return super().make_request(method, params)


class Unchanged(Recording):
    """The same with web3.py's own middleware."""

    request_func = JSONBaseProvider.request_func


def outcome(
    kind: type[Recording], hardfork: str, request: dict[str, Any], strategy: Any = None
) -> Any:
    """What is sent for a transaction, with what web3.py returns or raises for it."""
    with Node(Config(hardfork=hardfork, fixed_clock=1_700_000_000)) as node:
        recording = kind(node)
        w3 = Web3(recording)
        w3.eth.set_gas_price_strategy(strategy)
        sender, receiver = w3.eth.accounts[:2]
        try:
            result: Any = w3.eth.send_transaction({"from": sender, "to": receiver, **request})  # type: ignore[typeddict-item]  # wrong ones, too
        except Exception as error:  # noqa: BLE001  # it is compared
            result = type(error), str(error)
        return [list(each) for each in recording.sent], result


class TestMiddleware:
    """The provider's middleware does what web3.py's own does."""

    @pytest.mark.parametrize("hardfork", ["vetiver", "london"])
    @pytest.mark.parametrize(
        "request_",
        [
            pytest.param({"value": 1}, id="plain"),
            pytest.param({"data": b"\x01", "gas": 50_000}, id="gas"),
            pytest.param({"gasPrice": 10**10}, id="gas-price"),
            pytest.param({"maxPriorityFeePerGas": 1}, id="priority-fee"),
            pytest.param({"maxFeePerGas": 10**10}, id="cap"),
            pytest.param({"maxFeePerGas": 10**10, "maxPriorityFeePerGas": 1}, id="fees"),
            pytest.param({"maxFeePerGas": 1, "maxPriorityFeePerGas": 2}, id="wrong-fees"),
            pytest.param({"maxFeePerGas": 1, "gasPrice": 2}, id="both"),
            pytest.param({"chainId": 33}, id="chain-id"),
            pytest.param({"chainId": "0x1"}, id="hex-chain-id"),
            pytest.param({"chainId": 7}, id="wrong-chain-id"),
            pytest.param({"to": "devchain.eth"}, id="name"),
            pytest.param({"to": "0xab.eth"}, id="name-like-hex"),
            pytest.param({"to": None, "data": "0xfe"}, id="invalid"),
            pytest.param({"to": None, "data": "0x5b600056", "value": 0}, id="loop"),
        ],
    )
    def test_transactions(self, hardfork: str, request_: dict[str, Any]) -> None:
        """Transactions are completed and refused alike."""
        actual = outcome(Recording, hardfork, request_)

        assert actual == outcome(Unchanged, hardfork, request_)

    def test_gas_price_strategy(self) -> None:
        """A gas price strategy is asked, and once."""
        asked = []

        def strategy(_w3: Any, request: Any) -> int:
            asked.append(request)
            return 7 * 10**9

        actual = outcome(Recording, "london", {}, strategy)

        assert len(asked) == 1
        assert actual == outcome(Unchanged, "london", {}, strategy)
        assert actual[0][0][0]["gasPrice"] == hex(7 * 10**9)

    def test_few_requests(self, node: Node) -> None:
        """A transaction takes two requests, and the chain id is asked for once."""
        recording = Recording(node)
        w3 = Web3(recording)
        sender, receiver = w3.eth.accounts[:2]
        w3.eth.send_transaction({"from": sender, "to": receiver})
        assert recording.asked.count("eth_chainId") == 1
        recording.asked.clear()

        w3.eth.send_transaction({"from": sender, "to": receiver})

        assert recording.asked == ["eth_estimateGas", "eth_sendTransaction"]

    def test_other_middleware(self, node: Node) -> None:
        """Middleware that users add, replace or remove is as they have it."""
        w3 = Web3(provider(node))
        w3.middleware_onion.remove("validation")
        w3.middleware_onion.inject(Shouting, layer=0)
        w3.middleware_onion.add(curry(without_hash)([]))

        assert w3.eth.chain_id == 1_000 + node.config.effective_chain_id


def without_hash(_argument: list[Any], w3: Web3) -> Web3Middleware:
    """Middleware built with an argument that has no hash."""
    return Web3Middleware(w3)


class Shouting(Web3Middleware):
    """Adds to the chain id."""

    def response_processor(self, method: Any, response: Any) -> Any:
        """The changed response."""
        if method == "eth_chainId":
            return {**response, "result": hex(int(response["result"], 16) + 1_000)}
        return response


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
