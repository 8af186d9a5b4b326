"""`devchain.rpc.methods.submit`"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from eth_account import Account
from eth_hash.auto import keccak

from devchain import connect
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods.submit import pending_transactions, send_raw_transaction, send_transaction
from devchain.server.serve import serve_in_thread
from devchain.types import ZERO_HASH, TransactionRequest, checksum
from tests.accounts import ALICE, ALICE_HEX, ALICE_KEY, BOB, BOB_HEX, UNFUNDED_HEX
from tests.actions import deploy
from tests.bytecode import COUNTER, REVERT, error_payload
from tests.conftest import GENESIS_TIME
from tests.contracts.till import TILL, WHERE


class TestFillTransaction:
    @pytest.mark.parametrize(
        ("hardfork", "wanted", "fees"),
        [
            ("vetiver", {}, ["gasPrice"]),
            ("prague", {"type": "0x0"}, ["gasPrice"]),
            ("prague", {"type": "0x1"}, ["type", "gasPrice"]),
            ("prague", {}, ["type", "maxFeePerGas", "maxPriorityFeePerGas"]),
        ],
        ids=str,
    )
    def test_signed_elsewhere(self, hardfork: str, wanted: dict[str, str], fees: list[str]) -> None:
        """What is filled in only lacks a signature: with one, it is mined and succeeds."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        client = LocalClient(node)
        counter = deploy(node, COUNTER)

        filled = client.call(
            "eth_fillTransaction", {"from": ALICE_HEX, "to": f"0x{counter.hex()}", **wanted}
        )

        shown = filled["tx"]
        assert (shown["v"], shown["r"], shown["s"]) == ("0x0", "0x0", "0x0")
        assert filled["raw"].endswith("808080")
        assert shown["hash"] == f"0x{keccak(bytes.fromhex(filled['raw'][2:])).hex()}"
        given = {each: shown[each] for each in ("nonce", "gas", "value", *fees)}
        given |= {"to": counter, "chainId": node.config.effective_chain_id}
        raw = Account.sign_transaction({**given, "data": "0x"}, ALICE_KEY).raw_transaction
        sent = client.call("eth_sendRawTransaction", f"0x{raw.hex()}")
        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    @pytest.mark.parametrize("given", [{}, {"type": "0x0"}], ids=["no type", "legacy"])
    def test_gas_price(self, given: dict[str, str]) -> None:
        """The gas price is the suggested one, above the lowest; one that is given stays."""
        with Node(Config(network="test", min_gas_price=60_000_000)) as node:
            client = LocalClient(node)
            request = {"from": ALICE_HEX, "to": UNFUNDED_HEX, **given}

            filled = client.call("eth_fillTransaction", request)["tx"]["gasPrice"]
            kept = client.call("eth_fillTransaction", {**request, "gasPrice": "0x3938700"})["tx"]

            assert filled == client.call("eth_gasPrice") == hex(66_000_000)
            assert kept["gasPrice"] == "0x3938700"


CHAIN_ID = 31


def signed(**given: Any) -> bytes:
    """A transaction of ALICE's as it goes over the wire."""
    tx = {
        "nonce": 0,
        "gas": 21_000,
        "gasPrice": 0,
        "to": BOB,
        "value": 1,
        "data": b"",
        "chainId": CHAIN_ID,
        **given,
    }
    made = Account.sign_transaction({k: v for k, v in tx.items() if v is not None}, ALICE_KEY)
    return bytes(made.raw_transaction)


class TestSendRawTransaction:
    def test_not_mined(self, node: Node) -> None:
        """A node that does not mine answers the hash all the same, never zeros."""
        node.miner.running = False

        actual = send_raw_transaction(node, signed())

        assert actual != ZERO_HASH
        assert node.mempool.find(actual) is not None


class TestRevertOnSend:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        """A node with Hardhat's habit."""
        return replace(config, revert_on_send=True)

    def test_sent(self, node: Node, client: LocalClient) -> None:
        """The revert is answered, though the transaction is mined; the data has its hash."""
        reverting = deploy(node, REVERT)
        payload = "0x" + error_payload("no").hex()
        request = {"from": ALICE_HEX, "to": "0x" + reverting.hex(), "data": payload}

        with pytest.raises(RpcFailure) as caught:
            client.call("eth_sendTransaction", request)

        text = "VM Exception while processing transaction: execution reverted: no"
        assert (caught.value.code, caught.value.message) == (-32015, text)
        mined = "0x" + node.chain.head.transactions[0].hash.hex()
        assert caught.value.data == {"message": text, "txHash": mined, "data": payload}
        assert client.call("eth_blockNumber") == "0x2"

    @pytest.mark.parametrize("like", [None, "hardhat"])
    def test_stack_trace(self, config: Config, like: str | None) -> None:
        """Where the source is known the data has the place too; Hardhat's has the same members."""
        with Node(replace(config, like=like)) as node:
            till = node.deploy(TILL)
            request = {"to": f"0x{till.address.hex()}", "data": f"0x34fcf437{3:064x}"}
            request |= {"from": checksum(node.accounts.addresses()[1]), "gas": hex(100_000)}
            with pytest.raises(RpcFailure) as caught:
                connect(node).call("eth_sendTransaction", request)

        assert list(caught.value.data) == ["message", "txHash", "data", "stackTrace"]
        assert caught.value.data["stackTrace"].splitlines()[1:] == WHERE

    def test_defect_in_a_stack_trace(
        self, node: Node, client: LocalClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An error is answered without its place if looking for that fails."""
        till = node.deploy(TILL)
        monkeypatch.setattr(node.explainer, "source_trace", lambda _: {}["x"])
        request = {"from": BOB_HEX, "to": f"0x{till.address.hex()}", "gas": hex(100_000)}

        with pytest.raises(RpcFailure) as caught:
            client.call("eth_sendTransaction", {**request, "data": f"0x34fcf437{3:064x}"})

        assert list(caught.value.data) == ["message", "txHash", "data"]


class TestPendingTransactions:
    def test_of_others(self, node: Node) -> None:
        """Those of other senders are not the operator's."""
        key = b"\x01" * 32
        sender = Account.from_key(key).address
        send_transaction(node, TransactionRequest(ALICE, bytes.fromhex(sender[2:]), value=10))  # type: ignore[arg-type]  # 20 bytes
        node.miner.running = False
        tx = {"nonce": 0, "gas": 21_000, "gasPrice": 0, "to": BOB, "value": 1, "chainId": 31}
        send_raw_transaction(node, bytes(Account.sign_transaction(tx, key).raw_transaction))

        assert len(node.mempool.pending()) == 1
        assert pending_transactions(node) == []


TRANSFER = {"from": ALICE_HEX, "to": BOB_HEX}


class TestSendSync:
    def test_mined_at_once(self, client: LocalClient) -> None:
        """With automatic mining the receipt is there when the transaction was sent."""
        receipt = client.call("eth_sendTransactionSync", TRANSFER)

        mined = client.call("eth_getTransactionReceipt", receipt["transactionHash"])
        assert receipt == mined

    @pytest.mark.parametrize("timeout", [[], [0], [10]])
    def test_in_process(self, node: Node, client: LocalClient, timeout: list[int]) -> None:
        """Nobody else mines meanwhile: error 4 at once, with the hash; nothing goes on waiting."""
        client.call("evm_setAutomine", False)
        with pytest.raises(RpcFailure, match="is pending: mine a block") as caught:
            client.call("eth_sendTransactionSync", TRANSFER, *timeout)

        (pending,) = client.call("eth_pendingTransactions")
        assert (caught.value.code, caught.value.data) == (4, pending["hash"])
        assert node.chain.block_listeners == []

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    @pytest.mark.parametrize("is_raw", [False, True], ids=["signed here", "raw"])
    def test_waits(self, hardfork: str, is_raw: bool) -> None:
        """On a served node it waits for the block that another client mines."""
        with (
            Node(Config(hardfork=hardfork, mining=False)) as node,
            serve_in_thread(node) as url,
            closing(connect(url)) as sender,
            closing(connect(url)) as other,
            ThreadPoolExecutor() as pool,
        ):
            method, value = "eth_sendTransactionSync", TRANSFER
            if is_raw:
                method = "eth_sendRawTransactionSync"
                value = other.call("eth_signTransaction", TRANSFER)["raw"]
            waiting = pool.submit(sender.call, method, value)
            while not len(node.mempool):
                other.call("eth_blockNumber")
            other.call("evm_mine")
            receipt = waiting.result(timeout=60)

            mined = other.call("eth_getTransactionReceipt", receipt["transactionHash"])
            assert receipt == mined
            assert node.chain.block_listeners == []

    def test_out_of_time(self) -> None:
        """A served node ends the waiting after so many milliseconds."""
        with (
            Node(Config(mining=False)) as node,
            serve_in_thread(node) as url,
            closing(connect(url)) as client,
        ):
            with pytest.raises(RpcFailure) as caught:
                client.call("eth_sendTransactionSync", TRANSFER, 1)

            assert caught.value.code == 4
            assert node.chain.block_listeners == []

    def test_refused(self, client: LocalClient) -> None:
        """A transaction that is refused is an error as of `eth_sendTransaction`."""
        with pytest.raises(RpcFailure, match="nonce too high"):
            client.call("eth_sendTransactionSync", {**TRANSFER, "nonce": "0xffff"})
