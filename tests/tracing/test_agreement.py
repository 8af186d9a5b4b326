"""Tracers agree with receipts, the state and each other for generated contracts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from devchain.node import Node
from devchain.rpc.json_codec import encode
from devchain.rpc.methods.trace import transaction_traces as parity_traces
from devchain.types import Hash32
from tests.actions import receipt_of, send
from tests.tracing.programs import Program, place, programs, runtime
from tests.tracing.reading import frames, new_node, traced

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice

GAS = 400_000
NAMES = ["orchid", "iris", "vetiver", "frontier", "byzantium", "istanbul", "prague"]
EXAMPLES = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=NAMES, scope="module")
def hardfork(request: pytest.FixtureRequest) -> str:
    """Hardforks with different gas rules."""
    return str(request.param)


def sent(hardfork: str, program: Program, *, creating: bool) -> tuple[Node, bytes]:
    """A node that ran a program, as a contract or as init code, and the transaction's hash."""
    node = new_node(hardfork)
    if creating:
        return node, send(node, None, runtime(node, program), gas=GAS)
    return node, send(node, place(node, program), b"\1\2\3\4\5", gas=GAS)


def check_receipt(node: Node, tx_hash: bytes) -> None:
    """Check gas, success, output and logs against the receipt."""
    receipt = receipt_of(node, tx_hash)
    steps = traced(node, tx_hash)
    call = traced(node, tx_hash, "callTracer", with_log=True)
    assert (steps["gas"], int(call["gasUsed"], 16)) == (receipt.gas_used, receipt.gas_used)
    assert int(call["gas"], 16) == GAS
    assert (steps["failed"], "error" in call) == (not receipt.succeeded,) * 2
    assert steps["returnValue"] == call.get("output", "0x")
    logs = sorted(
        (each for frame in frames(call) for each in frame.get("logs", [])),
        key=lambda log: int(log["index"], 16),
    )
    first = receipt.first_log_index
    assert [int(log["index"], 16) - first for log in logs] == list(range(len(receipt.logs)))
    assert [(log["address"], log["data"], log["topics"]) for log in logs] == [
        (encode(log.address), encode(log.data), encode(log.topics)) for log in receipt.logs
    ]


def check_profile(node: Node, tx_hash: bytes) -> None:
    """Check that the gas of all lines, and of all call stacks, is what the receipt says."""
    profile = node.gas_profile(Hash32(tx_hash))
    lines = sum(each.gas for each in profile.lines.values())
    assert lines - profile.refunds == profile.gas_used == receipt_of(node, tx_hash).gas_used


def check_gas(steps: list[Any]) -> None:
    """Check in every frame that the gas falls by each opcode's cost.

    After a call or a creation it also grows by the gas that the child has left.
    """
    last: dict[int, Any] = {}
    for step in steps:
        depth = step["depth"]
        last = {at: each for at, each in last.items() if at <= depth}
        before = last.get(depth)
        if before and before["op"] not in NESTING:
            assert step["gas"] == before["gas"] - before["gasCost"], (before, step)
        elif before:
            assert step["gas"] >= before["gas"] - before["gasCost"] - _child_gas_limit(before)
            assert step["gas"] < before["gas"]
        last[depth] = step


NESTING = {"CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2"}


def _child_gas_limit(step: Any) -> int:
    """An upper bound of a creation's child gas, which its `gasCost` does not include."""
    return int(step["gas"]) if step["op"].startswith("CREATE") else 0


def check_shapes(node: Node, tx_hash: bytes) -> None:
    """Check that flat and nested tracers have the same frames, and each frame its call opcode."""
    call = traced(node, tx_hash, "callTracer")
    flat = traced(node, tx_hash, "flatCallTracer", include_precompiles=True)
    parity = encode(parity_traces(node, Hash32(tx_hash)))
    nested = frames(call)
    kinds = [(each["type"].lower(), each["gasUsed"]) for each in nested if "error" not in each]
    assert len(flat) == len(nested)
    assert [
        (
            each["action"].get("callType") or each["action"].get("creationMethod", "selfdestruct"),
            each.get("result", {}).get("gasUsed", "0x0"),
        )
        for each in flat
        if "error" not in each
    ] == kinds
    without = traced(node, tx_hash, "flatCallTracer")
    assert [each["traceAddress"] for each in parity] == [each["traceAddress"] for each in without]
    ran = [step for step in traced(node, tx_hash)["structLogs"] if step["op"] in NESTING]
    inner = [each for each in nested[1:] if each["type"] in NESTING]
    assert len(inner) <= len(ran)


def check_state(node: Node, tx_hash: bytes) -> None:
    """Check the prestate tracer's difference against the states before and after the block."""
    block, _ = node.chain.receipt(Hash32(tx_hash)) or (None, None)
    assert block is not None
    changes = traced(node, tx_hash, "prestateTracer", diff_mode=True)
    before = node.chain.state_at(block.number - 1)
    for view, accounts in ((before, changes["pre"]), (None, changes["post"])):
        view = view or node.chain.state_at(block.number)  # noqa: PLW2901  # the later one
        for text, account in accounts.items():
            address: Any = bytes.fromhex(text[2:])
            if address == block.header.coinbase:
                continue  # the reward for the block comes after its transactions
            if "balance" in account:
                assert int(account["balance"], 16) == view.balance(address)
            if "nonce" in account:
                assert account["nonce"] == view.nonce(address)
            if "code" in account:
                assert account["code"] == encode(view.code(address))
            for slot, value in account.get("storage", {}).items():
                assert int(value, 16) == view.storage(address, int(slot, 16))


class TestAgreement:
    @pytest.mark.parametrize("creating", [False, True], ids=["call", "creation"])
    @given(program=programs)
    @EXAMPLES
    def test_as_mined(self, hardfork: str, program: Program, creating: bool) -> None:
        """A transaction to a contract, or one that creates it, is traced as it was mined."""
        node, tx_hash = sent(hardfork, program, creating=creating)

        check_receipt(node, tx_hash)
        check_profile(node, tx_hash)
        check_gas(traced(node, tx_hash)["structLogs"])
        check_shapes(node, tx_hash)
        check_state(node, tx_hash)
