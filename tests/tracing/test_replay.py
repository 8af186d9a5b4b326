"""`devchain.tracing.replay`"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from eth_account import Account

from devchain.chain.eth_call import call_block
from devchain.errors import BlockNotFound, ExecutionFailed, TransferUnaffordable
from devchain.node import Node
from devchain.tracing.options import TraceOptions, TraceQuery
from devchain.tracing.replay import (
    _authorities,
    search,
    trace_block,
    trace_call,
)
from devchain.types import BlockHash, Hash32, StateOverride, Tag, TransactionRequest
from tests.accounts import ALICE, ALICE_KEY, BOB, BOB_HEX, BOB_KEY, CAROL, UNFUNDED
from tests.actions import deploy, send
from tests.bytecode import COUNTER, EMIT_MANY, ENVIRONMENT, word
from tests.tracing.programs import Program, call, place
from tests.tracing.reading import new_node, traced

CALLS = TraceOptions("callTracer")


class TestTransaction:
    def test_mined_order(self) -> None:
        """A transaction is replayed on the state after those before it in the block."""
        node = new_node("vetiver")
        counter, emitter = deploy(node, COUNTER), deploy(node, EMIT_MANY)
        node.miner.running = False
        hashes = [send(node, counter), send(node, emitter, word(2)), send(node, counter)]
        hashes.append(send(node, emitter, word(1)))
        node.miner.mine()

        outputs = [int(traced(node, hashes[index])["returnValue"], 16) for index in (0, 2)]
        logs = traced(node, hashes[3], "callTracer", with_log=True)["logs"]

        assert outputs == [1, 2]
        assert [log["index"] for log in logs] == ["0x2"]

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_environment(self, hardfork: str) -> None:
        """A replayed transaction sees its block, and the hashes of the blocks before it."""
        node = new_node(hardfork)
        contract = deploy(node, ENVIRONMENT)
        tx_hash = send(node, contract, word(1))
        expected = node.chain.state_at(node.chain.height)
        for _ in range(3):
            node.miner.mine()

        returned = bytes.fromhex(traced(node, tx_hash)["returnValue"][2:])

        slots = [expected.storage(contract, slot) for slot in range(10)]
        assert [int.from_bytes(returned[at : at + 32], "big") for at in range(0, 320, 32)] == slots

    def test_nothing_stays(self) -> None:
        """A trace changes nothing."""
        node = new_node("vetiver")
        counter = deploy(node, COUNTER)
        tx_hash = send(node, counter)
        before = (node.chain.head.hash, node.chain.state_at(node.chain.height).root)

        first, again = traced(node, tx_hash), traced(node, tx_hash)

        assert first == again
        assert (node.chain.head.hash, node.chain.state_at(node.chain.height).root) == before

    def test_bad_authorization(self) -> None:
        """An authorization with an invalid signature is ignored."""
        broken = SimpleNamespace(chain_id=1, address=BOB, nonce=0, y_parity=0, r=0, s=0)
        tx: Any = SimpleNamespace(type=4, signed=SimpleNamespace(authorization_list=[broken]))

        assert list(_authorities(tx)) == []

    def test_set_code(self) -> None:
        """The prestate of a type 4 transaction has accounts without their new code (EIP-7702)."""
        node = new_node("prague", network="test")
        counter = deploy(node, COUNTER)
        signed = Account.sign_authorization(
            {"chainId": node.config.effective_chain_id, "address": counter, "nonce": 0}, BOB_KEY
        )
        transaction: dict[str, Any] = {
            "type": 4,
            "chainId": node.config.effective_chain_id,
            "nonce": node.mempool.pending_nonce(ALICE),
            "gas": 300_000,
            "maxFeePerGas": 10**10,
            "maxPriorityFeePerGas": 1,
            "to": BOB,
            "value": 0,
            "authorizationList": [signed],
        }
        raw = Account.sign_transaction(transaction, ALICE_KEY).raw_transaction
        tx_hash = node.send_raw(bytes(raw))

        changes = traced(node, tx_hash, "prestateTracer", diff_mode=True)
        frame = traced(node, tx_hash, "callTracer")

        assert "code" not in changes["pre"][BOB_HEX]
        assert changes["post"][BOB_HEX]["code"] == f"0xef0100{counter.hex()}"
        assert changes["post"][BOB_HEX]["nonce"] == 1
        assert (frame["to"], int(frame["output"], 16)) == (BOB_HEX, 1)


class TestBlock:
    def test_pending(self) -> None:
        """The pending block can be traced like a mined one."""
        node = new_node("vetiver")
        node.miner.running = False
        send(node, BOB, value=7, gas=21_000)

        (trace,) = trace_block(node.chain, node.chain.pending(), CALLS)

        assert (trace.top.to, trace.top.value) == (BOB, 7)

    def test_remasc(self) -> None:
        """REMASC's transaction runs no code; fees go to its account, not to the miner."""
        node = new_node("vetiver", remasc=True)
        tx_hash = send(node, BOB, value=1, gas=21_000, gas_price=2)
        block = node.chain.head

        paid, closing = trace_block(node.chain, block, CALLS)
        changes = traced(node, tx_hash, "prestateTracer", diff_mode=True)
        steps = traced(node, block.transactions[1].hash)

        assert (paid.top.gas_used, closing.top.gas_used, closing.top.calls) == (21_000, 0, [])
        assert closing.top.to.hex().endswith("1000008")
        remasc = f"0x{closing.top.to.hex()}"
        assert int(changes["post"][remasc]["balance"], 16) == 42_000
        assert f"0x{node.miner.coinbase.hex()}" not in changes["post"]
        assert steps == {"gas": 0, "failed": False, "returnValue": "0x", "structLogs": []}
        assert traced(node, block.transactions[1].hash, "prestateTracer") == {}

    def test_remasc_pays(self) -> None:
        """The logs of its payments are in the trace."""
        node = new_node("vetiver", remasc=True)
        send(node, BOB, value=1, gas=21_000, gas_price=10**9)
        for _ in range(30):
            node.miner.mine()
        (log, *_) = node.logs(_everything())

        trace = traced(node, log.transaction_hash, "callTracer", with_log=True)

        assert trace["logs"][0]["address"] == f"0x{log.log.address.hex()}"
        assert len(trace["logs"]) == len(log.block.receipts[log.transaction_index].logs)


def _everything() -> Any:
    from devchain.types import LogQuery

    return LogQuery(from_block=0)


class TestCall:
    def trace(self, node: Node, request: TransactionRequest, **given: Any) -> Any:
        """The trace of a call on the newest block."""
        options = TraceOptions(**{"tracer": "callTracer"} | given)
        block = call_block(node.chain, node.chain.head.header)
        return trace_call(node.chain, block, request, options)

    def test_result(self) -> None:
        """A call's frame has its gas limit and the gas used."""
        node = new_node("vetiver")
        counter = deploy(node, COUNTER)

        top = self.trace(node, TransactionRequest(to=counter, gas=100_000)).top

        assert (top.gas, top.gas_used) == (100_000, 41_230)
        assert int.from_bytes(top.output, "big") == 1
        assert node.chain.state_at(node.chain.height).storage(counter, 0) == 0

    def test_overrides(self) -> None:
        """The prestate has the overridden accounts."""
        node = new_node("vetiver")
        overrides = {UNFUNDED: StateOverride(code=COUNTER, state_diff={0: 8})}
        request = TransactionRequest(sender=ALICE, to=UNFUNDED, gas=100_000)

        trace = self.trace(
            node, request, overrides=overrides, tracer="prestateTracer", diff_mode=True
        )

        assert trace.accounts.before[UNFUNDED].storage == {0: 8}
        assert trace.accounts.after[UNFUNDED].storage == {0: 9}

    def test_too_little_gas(self) -> None:
        """A call with less than the intrinsic gas is refused."""
        with pytest.raises(ExecutionFailed, match="intrinsic gas too low"):
            self.trace(new_node("vetiver"), TransactionRequest(to=BOB, gas=1))

    def test_funds(self) -> None:
        """With a gas price the sender has to be able to pay the gas."""
        request = TransactionRequest(sender=UNFUNDED, to=BOB, gas=21_000, gas_price=1)

        with pytest.raises(TransferUnaffordable):
            self.trace(new_node("vetiver"), request)


@pytest.fixture
def node(node: Node) -> Node:
    """Blocks 1 and 2 have ALICE's and BOB's transfers, 3 to 5 two contracts and a call of both."""
    send(node, BOB, value=1, gas=21_000)
    send(node, CAROL, value=2, gas=21_000, sender=BOB)
    send(node, place(node, Program((call("CALL", Program((), "stop")),), "stop")))
    return node


def found(node: Node, **query: Any) -> list[tuple[int, tuple[int, ...]]]:
    """Block and path of each frame that a query finds."""
    return [(block.number, flat.path) for block, _, flat in search(node.chain, TraceQuery(**query))]


EVERYTHING = [(1, ()), (2, ()), (3, ()), (4, ()), (5, ()), (5, (0,))]


class TestSearch:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({}, EVERYTHING),
            ({"from_block": 4}, EVERYTHING[3:]),
            ({"to_block": 2}, EVERYTHING[:2]),
            ({"to_block": 99}, EVERYTHING),
            ({"from_block": 98, "to_block": 99}, []),
            ({"from_block": 98, "to_block": Tag.LATEST}, []),
            ({"from_block": 4, "to_block": 2}, []),
            ({"to_block": Tag.PENDING}, EVERYTHING),
            ({"senders": frozenset({BOB})}, [(2, ())]),
            ({"receivers": frozenset({BOB, CAROL})}, [(1, ()), (2, ())]),
            ({"senders": frozenset({ALICE}), "receivers": frozenset({CAROL})}, []),
            ({"after": 1, "count": 2}, EVERYTHING[1:3]),
            ({"after": 5}, EVERYTHING[5:]),
            ({"after": 6}, []),
            ({"count": 0}, []),
        ],
    )
    def test_found(self, node: Node, query: Any, expected: Any) -> None:
        """Transactions are selected by block, sender and receiver; a window cuts their frames."""
        assert found(node, **query) == expected

    def test_unknown_block(self, node: Node) -> None:
        """An unknown block hash is refused."""
        with pytest.raises(BlockNotFound):
            found(node, from_block=BlockHash(Hash32(bytes(32))))
