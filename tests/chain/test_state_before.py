"""`devchain.chain.chain`: the state before a transaction of a block"""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import BlockNotFound, RpcFailure, TransactionNotFound
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.methods.execute import get_balance
from devchain.rpc.methods.trace import trace_call
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_block
from devchain.tracing.tracers import Difference
from devchain.types import Address, BeforeTransaction, BlockHash, Tag, TransactionRequest
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, send
from tests.bytecode import COUNTER, REVERT
from tests.conftest import GENESIS_TIME
from tests.fork.upstreams import fork_of

"""returns the block's number and slot 0"""
DEEP = 3


def counted(node: Node, calls: int = DEEP) -> Address:
    """A counter that the transactions of the newest block called, each once."""
    counter = deploy(node, COUNTER)
    node.miner.set_automine(on=False)
    for nonce in range(calls):
        send(node, counter, nonce=nonce + 1, value=1)
    node.mine()
    return counter


class TestStateAt:
    @pytest.fixture(params=["fast", "reference"])
    def config(self, request: pytest.FixtureRequest) -> Config:
        """Both engines."""
        return Config(network="test", fixed_clock=GENESIS_TIME, engine=request.param)

    def test_each_transaction(self, node: Node) -> None:
        """Slots, balances and nonces are those before the transaction."""
        counter = counted(node)

        states = [node.chain.state_at(BeforeTransaction(2, index)) for index in range(DEEP)]

        assert [each.storage(counter, 0) for each in states] == [0, 1, 2]
        assert [each.balance(counter) for each in states] == [0, 1, 2]
        assert [each.nonce(ALICE) for each in states] == [1, 2, 3]
        assert node.at().storage(counter, 0) == DEEP

    def test_references(self, node: Node) -> None:
        """The block is named by number, tag or hash."""
        counter = counted(node)
        names = (2, Tag.LATEST, BlockHash(node.chain.head.hash))

        found = [node.at(BeforeTransaction(each, 1)).storage(counter, 0) for each in names]

        assert found == [1, 1, 1]

    def test_pending_block(self, node: Node) -> None:
        """Of the pending block too."""
        counter = counted(node)
        send(node, counter, nonce=DEEP + 1)
        send(node, counter, nonce=DEEP + 2)

        found = [
            node.at(BeforeTransaction(Tag.PENDING, index)).storage(counter, 0) for index in (0, 1)
        ]

        assert found == [DEEP, DEEP + 1]

    def test_edited_state(self, node: Node) -> None:
        """An edit of the parent's state is there, one of the block's own state is not."""
        counter = deploy(node, COUNTER)
        node.set_storage(counter, 0, 10)
        send(node, counter)
        node.set_storage(counter, 0, 50)

        assert node.at(BeforeTransaction(2, 0)).storage(counter, 0) == 10

    def test_empty_block(self, node: Node) -> None:
        """A block without transactions has a state before its first one."""
        node.mine()

        assert node.at(BeforeTransaction(1, 0)).balance(ALICE) == node.balance(ALICE)

    def test_remasc(self) -> None:
        """The last transaction may be REMASC's."""
        with Node(network="test", remasc=True, fixed_clock=GENESIS_TIME) as node:
            counter = counted(node)
            assert len(node.chain.head.transactions) == DEEP + 1

            assert node.at(BeforeTransaction(2, DEEP)).storage(counter, 0) == DEEP

    @pytest.mark.parametrize("index", [DEEP, 2**64 - 1])
    def test_no_transaction(self, node: Node, index: int) -> None:
        """An index without a transaction is an error."""
        counted(node)

        with pytest.raises(TransactionNotFound, match=rf"block 2 has 3 .* index {index}"):
            node.chain.state_at(BeforeTransaction(2, index))
        with pytest.raises(TransactionNotFound, match="block 0 has 0 transactions"):
            node.chain.state_at(BeforeTransaction(0, 0))
        with pytest.raises(BlockNotFound):
            node.chain.state_at(BeforeTransaction(9, 0))

    @settings(max_examples=20)
    @given(st.lists(st.sampled_from(["count", "revert", "pay", "create"]), max_size=6), st.data())
    def test_prestates(self, kinds: list[str], data: st.DataObject) -> None:
        """Every account that a transaction changes is as the prestate tracer says."""
        with Node(network="test", fixed_clock=GENESIS_TIME) as node:
            counter, revert = deploy(node, COUNTER), deploy(node, REVERT)
            node.miner.set_automine(on=False)
            receivers = {"count": counter, "revert": revert, "pay": BOB, "create": None}
            for nonce, kind in enumerate(kinds, 2):
                send(node, receivers[kind], nonce=nonce, gas=60_000, gas_price=1)
            node.mine()
            traces = [
                *trace_block(
                    node.chain, node.chain.head, TraceOptions("prestateTracer", diff_mode=True)
                )
            ]
            order = data.draw(st.permutations(range(len(traces))))
            for index in order:
                accounts = traces[index].accounts
                assert isinstance(accounts, Difference)
                state = node.chain.state_at(BeforeTransaction(Tag.LATEST, index))
                for address, each in accounts.before.items():
                    assert state.balance(address) == each.balance
                    assert state.nonce(address) == (each.nonce or 0)


class TestCalls:
    def test_call(self, node: Node) -> None:
        """A call runs in the block, on the state before the transaction."""
        counter = counted(node)
        node.miner.set_automine(on=True)
        node.mine(3)
        override = TransactionRequest(to=counter)

        assert node.call(override, BeforeTransaction(2, 1)) == (2).to_bytes(32)

    def test_trace_call(self, node: Node) -> None:
        """`debug_traceCall` has geth's `txIndex`."""
        counter = counted(node)
        request = TransactionRequest(to=counter)

        found = [
            trace_call(node, request, 2, TraceOptions("callTracer", tx_index=index))
            for index in range(DEEP)
        ]

        outputs = [each["output"] for each in found if isinstance(each, dict)]
        assert outputs == [number.to_bytes(32) for number in (1, 2, 3)]

    def test_replays_a_transaction(self, node: Node) -> None:
        """The call that a transaction makes, run in its place, returns what it returned."""
        counter = counted(node)
        block = node.chain.head
        frames = [each.top for each in trace_block(node.chain, block, TraceOptions("callTracer"))]

        outputs = [
            node.call(
                TransactionRequest(sender=tx.sender, to=tx.to, value=tx.value, data=tx.data),
                BeforeTransaction(BlockHash(block.hash), index),
            )
            for index, tx in enumerate(block.transactions)
        ]

        assert outputs == [each.output for each in frames]
        assert counter


class TestOverJson:
    def test_state(self, client: LocalClient, node: Node) -> None:
        """The block of a state is an object with `transactionIndex`, as Erigon's contexts."""
        counter = f"0x{counted(node).hex()}"
        place = {"blockNumber": "0x2", "transactionIndex": "0x1"}
        by_hash = {"blockHash": f"0x{node.chain.head.hash.hex()}", "transactionIndex": 1}

        assert client.call("eth_getBalance", counter, place) == "0x1"
        assert client.call("eth_getTransactionCount", ALICE_HEX, by_hash) == "0x2"
        assert int(client.call("eth_getStorageAt", counter, "0x0", place), 16) == 1
        assert client.call("eth_getCode", counter, place) == f"0x{COUNTER.hex()}"
        assert int(client.call("eth_call", {"to": counter}, by_hash), 16) == 2
        assert int(client.call("eth_estimateGas", {"to": counter}, place), 16) > 21_000
        assert client.call("eth_createAccessList", {"to": counter}, place)["gasUsed"]
        proof = client.call("eth_getProof", counter, ["0x0"], place)
        assert proof["storageProof"][0]["value"] == "0x1"

    @pytest.mark.parametrize("index", ["0xg", -1, "latest", [], 2**64, True])
    def test_bad_index(self, client: LocalClient, index: object) -> None:
        """An index is a number."""
        place = {"blockNumber": "0x0", "transactionIndex": index}

        with pytest.raises(RpcFailure, match="argument block: transactionIndex: "):
            client.call("eth_getBalance", BOB_HEX, place)

    @pytest.mark.parametrize("number", [[], {}, "newest", None, True])
    def test_bad_block(self, client: LocalClient, number: object) -> None:
        """The block is named as in an EIP-1898 object."""
        place = {"blockNumber": number, "transactionIndex": 0}

        with pytest.raises(RpcFailure, match="argument block: "):
            client.call("eth_getBalance", BOB_HEX, place)

    def test_other_methods(self, client: LocalClient) -> None:
        """Methods that read no state do not take an index."""
        place = {"blockNumber": "0x0", "transactionIndex": "0x0"}

        with pytest.raises(RpcFailure, match="unknown member 'transactionIndex'"):
            client.call("eth_getBlockByNumber", place, False)

    def test_announced_as_slow(self, node: Node) -> None:
        """Others are served before transactions are run."""
        counted(node)
        place = {"blockNumber": "0x2", "transactionIndex": "0x1"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "eth_getBalance", "params": [BOB_HEX, place]}

        assert next(Dispatcher(node).serve(json.dumps(body).encode())) is True

    def test_hosted(self) -> None:
        """The hosted service refuses places in the pending block where it refuses that."""
        with Node(network="test", hosted=True, api_key=("key-of-a-client",)) as node:
            client = LocalClient(node)
            place = {"blockNumber": "pending", "transactionIndex": "0x0"}

            with pytest.raises(RpcFailure, match="does not take 'pending'"):
                client.call("eth_getCode", BOB_HEX, place)


def test_fork() -> None:
    """Blocks before a fork and since have states inside them."""
    with Node(network="test", fixed_clock=GENESIS_TIME) as upstream:
        counter = counted(upstream)
        upstream.mine()
        fork, _ = fork_of(upstream, fork_block_number=3)
        with fork:
            fork.miner.set_automine(on=False)
            for _ in range(2):
                fork.send(TransactionRequest(sender=BOB, to=counter, gas=100_000))
            fork.mine()
            places = [BeforeTransaction(2, 1), BeforeTransaction(2, 2), BeforeTransaction(4, 1)]

            assert [fork.at(each).storage(counter, 0) for each in places] == [1, 2, 4]
            assert get_balance(fork, BOB, places[0]) == fork.balance(BOB, 2)
