"""`devchain.tracing.replay`: replaying mined transactions gives the receipts that were stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from eth_account import Account

from devchain.chain.remasc import is_closing
from devchain.config import Config
from devchain.evm.failures import FailureKind
from devchain.node import Node
from devchain.rpc.methods.trace import block_traces as trace_block
from devchain.source.gas import GasProfile, gas_profile
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import Replay
from devchain.types import Address, Authorization, MineRequest
from tests.accounts import BOB, BOB_KEY, CAROL, UNFUNDED
from tests.actions import deploy, send
from tests.bytecode import COUNTER, DESTROY, EMIT_MANY, INVALID, LOOP, REVERT, init_code, word
from tests.conftest import GENESIS_TIME
from tests.tracing.reading import frames, traced

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice

BRIDGE = Address(bytes.fromhex("0000000000000000000000000000000001000006"))
COINBASE = "0x" + "c0" * 20
"""An account that is empty until it earns a fee."""

CALLS = TraceOptions("callTracer", with_log=True)
TRACERS = (CALLS, TraceOptions("prestateTracer", diff_mode=True), TraceOptions())


def transactions(node: Node) -> Iterator[dict[str, Any]]:
    """Arguments of `send` for every kind of transaction that the rules have."""
    emit, counter = deploy(node, EMIT_MANY), deploy(node, COUNTER)
    revert, invalid, destroy = (deploy(node, code) for code in (REVERT, INVALID, DESTROY))
    loop = deploy(node, LOOP)
    yield {"to": UNFUNDED, "value": 5, "gas": 30_000}
    yield {"to": emit, "data": word(2)}
    yield {"to": None, "data": init_code(COUNTER)}
    yield {"to": None, "data": REVERT}
    yield {"to": None, "data": init_code(COUNTER), "gas": 55_000}  # not enough to store the code
    yield {"to": revert, "data": b"\1\2", "gas": 100_000}
    yield {"to": invalid, "gas": 100_000}
    yield {"to": loop, "data": word(10**9), "gas": 40_000}
    yield {"to": destroy, "data": word(int.from_bytes(CAROL, "big"))}
    yield {"to": Address(bytes(19) + b"\4"), "data": b"data"}
    yield {"to": counter, "sender": BOB}
    if node.chain.rules.has_merged_mining:
        yield {"to": BRIDGE, "data": b"\1\2\3\4", "gas": 100_000}
    if 1 in node.chain.rules.transaction_types:
        yield {"to": counter, "type": 1, "access_list": ((counter, (0,)),)}
    if 2 in node.chain.rules.transaction_types:
        yield {"to": counter, "type": 2, "max_priority_fee_per_gas": 3, "max_fee_per_gas": 10**11}
    if 4 in node.chain.rules.transaction_types:
        signed = Account.sign_authorization({"chainId": 0, "address": counter, "nonce": 1}, BOB_KEY)
        authorization = Authorization(0, counter, 1, signed.y_parity, signed.r, signed.s)
        yield {"to": BOB, "type": 4, "authorizations": (authorization,)}


CASES = {
    "vetiver-fast-remasc": ("vetiver", "fast", True),
    "vetiver-reference": ("vetiver", "reference", False),
    "prague-fast": ("prague", "fast", False),
}


@pytest.fixture(params=CASES.values(), ids=CASES, scope="module")
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node that mined all those transactions, with and without fees, and 12 blocks after them."""
    hardfork, engine, remasc = request.param
    config = Config(
        hardfork=hardfork,
        engine=engine,
        remasc=remasc,
        coinbase=COINBASE,
        fixed_clock=GENESIS_TIME,
    )
    with Node(config) as node:
        has_free_gas = node.chain.lowest_gas_price() == 0
        for price in (0, 10**10) if has_free_gas else (10**10,):
            wanted = list(transactions(node))
            node.miner.running = False
            for each in wanted:
                fee = {} if each.get("type") in (2, 4) else {"gas_price": price}
                send(node, **{**fee, **each})
            node.mine(MineRequest())
            node.miner.running = True
        node.mine(MineRequest(blocks=12))
        yield node


@pytest.mark.parametrize("options", TRACERS, ids=lambda each: each.tracer)
def test_receipts(node: Node, options: TraceOptions) -> None:
    """A block replayed under any tracer has the same receipts, fees and state."""
    for block in node.chain.blocks_after(0):
        replay = Replay(node.chain, block)
        for receipt in block.receipts:
            replay.trace(receipt, options)

        again = replay.builder.build_block(node.chain.block(block.number - 1), sealed=False)

        assert again.receipts == block.receipts
        assert again.state_root == block.state_root
        assert again.header.receipt_root == block.header.receipt_root
        assert again.header.gas_used == block.header.gas_used
        if node.chain.rules.has_merged_mining:
            assert again.header.paid_fees == block.header.paid_fees


def test_traces(node: Node) -> None:
    """Gas, success and logs in `debug_` and `trace_` results are those of the receipts."""
    kinds = set()
    for block in node.chain.blocks_after(0):
        parity = trace_block(node, block.number) or []
        tops = [each for each in parity if not each["traceAddress"]]
        for receipt, top in zip(block.receipts, tops, strict=True):
            tx_hash = receipt.transaction.hash
            call = traced(node, tx_hash, "callTracer", with_log=True)
            steps = traced(node, tx_hash)
            logs = [each for frame in frames(call) for each in frame.get("logs", [])]

            assert steps["gas"] == int(call["gasUsed"], 16) == receipt.gas_used
            assert steps["failed"] == ("error" in call) == (not receipt.succeeded)
            assert ("error" in top) == (not receipt.succeeded)
            assert len(logs) == len(receipt.logs)
            kinds.add(receipt.failure and receipt.failure.kind)
    assert kinds == {None, *FailureKind}


def test_gas_profiles(node: Node) -> None:
    """The gas of a profile is that of the receipt, by call stack and by line."""
    for block in node.chain.blocks_after(0):
        recorder = node.explainer.new_gas_recorder()
        recorder.record_block(node.chain, block)
        whole = gas_profile(recorder)
        sums = GasProfile()
        for receipt in block.receipts:
            profile = node.gas_profile(receipt.transaction.hash)
            sums.add(profile)

            assert profile.gas_used == receipt.gas_used
            assert sum(each.gas for each in profile.lines.values()) == profile.gross
            assert profile.refunds == 0 or receipt.succeeded
            assert all(each.gas > 0 for each in profile.lines.values())
        assert whole == sums


def test_remasc(node: Node) -> None:
    """With REMASC its transaction ends every block, and pays in the newest block."""
    mined = node.chain.blocks_after(0)
    closed = [any(map(is_closing, block.transactions[-1:])) for block in mined]
    paying = [any(each.logs for each in block.receipts[-1:]) for block in mined]

    assert set(closed) == {node.config.remasc}
    assert paying[-1] == node.config.remasc
