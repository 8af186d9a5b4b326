"""`devchain.rpc.methods.trace`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.rpc.methods import trace
from devchain.types import BlockHash, Hash32
from tests.accounts import BOB, BOB_HEX, CAROL_HEX
from tests.actions import deploy, receipt_of, send
from tests.bytecode import CREATOR, ECHO, FORWARD, REVERT, init_code
from tests.tracing.programs import Program, call, place

IDENTITY = bytes(31) + b"\4"


def mined(node: Node, to: Any, data: bytes = b"", **given: Any) -> list[dict[str, Any]]:
    """The traces of a transaction."""
    found = trace.trace_transaction(node, Hash32(send(node, to, data, **given)))
    assert found is not None
    return found


class TestTransaction:
    def test_true_data(self, node: Node) -> None:
        """Every call has its own input and output."""
        echo = deploy(node, ECHO)

        outer, inner = mined(node, deploy(node, FORWARD), bytes(12) + echo + b"\1\2")

        assert outer["action"]["input"] == bytes(12) + echo + b"\1\2"
        assert (inner["action"]["input"], inner["action"]["to"]) == (b"\1\2", echo)
        assert outer["result"]["output"] == inner["result"]["output"] == b"\1\2"
        assert (outer["subtraces"], inner["traceAddress"]) == (1, [0])

    def test_creations(self, node: Node) -> None:
        """A creation has `init`; only inner creations have `creationMethod`."""
        (outer,) = mined(node, None, init_code(ECHO))
        _, inner = mined(node, deploy(node, CREATOR), init_code(ECHO))

        assert "creationMethod" not in outer["action"]
        assert inner["action"]["creationMethod"] == "create"
        assert inner["action"]["init"] == outer["action"]["init"] == init_code(ECHO)
        assert inner["result"]["code"] == ECHO

    def test_self_destruct(self, node: Node) -> None:
        """A self-destruct has a null result."""
        _, last = mined(node, place(node, Program((), "destroy", value=5)))

        assert (last["type"], last["result"]) == ("suicide", None)
        assert last["action"]["balance"] == 5

    def test_failed(self, node: Node) -> None:
        """What failed has an error and a null result."""
        (only,) = mined(node, deploy(node, REVERT))

        assert (only["error"], only["result"]) == ("Reverted", None)

    def test_precompiled(self, node: Node) -> None:
        """Calls of precompiled contracts are left out."""
        (only,) = mined(node, deploy(node, FORWARD), IDENTITY)

        assert only["subtraces"] == 0


class TestBlock:
    def test_all(self, node: Node) -> None:
        """A block has the traces of all its transactions."""
        node.miner.running = False
        for value in (1, 2):
            send(node, BOB, value=value, gas=21_000)
        node.miner.mine()

        by_number = trace.trace_block(node, 1)
        by_hash = trace.trace_block(node, BlockHash(node.chain.head.hash))

        assert by_number == by_hash
        assert by_number is not None
        places = [(each["transactionPosition"], each["action"]["value"]) for each in by_number]
        assert places == [(0, 1), (1, 2)]


class TestFilter:
    def test_window(self, node: Node, client: LocalClient) -> None:
        """Blocks, accounts and a window choose."""
        for value in (1, 2, 3):
            send(node, BOB, value=value, gas=21_000)
        query = {"fromBlock": "0x1", "toAddress": [BOB_HEX], "after": 1, "count": 1}

        (found,) = client.call("trace_filter", query)

        assert found["action"]["value"] == "0x2"
        assert client.call("trace_filter", {"toAddress": CAROL_HEX}) == []

    @pytest.mark.parametrize(
        "bounds",
        [
            {"fromBlock": "0x2", "toBlock": "0x1"},
            {"fromBlock": "0x4"},
            {"fromBlock": "0x4", "toBlock": "0x9"},
            {"fromBlock": "latest", "toBlock": "earliest"},
        ],
        ids=str,
    )
    def test_no_block(self, node: Node, client: LocalClient, bounds: dict[str, str]) -> None:
        """A range that is reversed or past the head gives nothing, as in `eth_getLogs`."""
        for value in (1, 2, 3):
            send(node, BOB, value=value, gas=21_000)

        assert client.call("trace_filter", bounds) == client.call("eth_getLogs", bounds) == []


class TestGet:
    def test_position(self, node: Node) -> None:
        """A position counts through the transaction's traces."""
        program = Program((call("CALL", Program((), "stop")),), "stop")
        tx_hash = Hash32(send(node, place(node, program)))

        listed = trace.trace_transaction(node, tx_hash)

        assert listed is not None
        assert [trace.trace_get(node, tx_hash, [index]) for index in range(3)] == [*listed, None]


class TestAgreement:
    def test_gas(self, node: Node) -> None:
        """The top has the gas of the receipt."""
        tx_hash = send(node, deploy(node, FORWARD), IDENTITY)

        (top,) = trace.trace_transaction(node, Hash32(tx_hash)) or []

        assert top["result"]["gasUsed"] == receipt_of(node, tx_hash).gas_used
