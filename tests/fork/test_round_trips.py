"""How often a fork asks its upstream for contracts that call one another: each HTTP request waits.

An oracle names a pair in its storage, and the pair a token: what is needed next is in an answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from devchain.client.http import connect
from devchain.node import Node
from devchain.types import Address
from tests.accounts import ALICE_HEX
from tests.actions import deploy, send
from tests.bytecode import assemble
from tests.contracts.vault import FILE
from tests.fork.upstreams import fork_of

HOP = assemble(
    # slot 0 names the next contract, slot 1 a slot that is read too
    "1 SLOAD SLOAD POP 32 0 0 0 0 SLOAD GAS STATICCALL POP 0 MLOAD 1 ADD 0 MSTORE 32 0 RETURN"
)
TOKEN = assemble("1 SLOAD SLOAD 0 MSTORE 32 0 RETURN")
BUYER = assemble("1 SLOAD SLOAD POP 32 0 0 0 0 0 SLOAD GAS CALL POP 0 MLOAD 1 ADD 5 SSTORE STOP")


class Market(NamedTuple):
    """A node, its contracts, and a transaction that the buyer was called by."""

    node: Node
    buyer: str
    oracle: str
    sent: str


@pytest.fixture
def market() -> Iterator[Market]:
    """A buyer that calls an oracle, which calls a pair, which calls a token."""
    with Node(fixed_clock=1_700_000_000) as node:
        token, pair, oracle, buyer = (deploy(node, code) for code in (TOKEN, HOP, HOP, BUYER))
        for each, called in ((token, None), (pair, token), (oracle, pair), (buyer, oracle)):
            node.set_storage(each, 1, 9)
            node.set_storage(each, 9, 100)
            if called:
                node.set_storage(each, 0, int.from_bytes(called))
        node.mine()
        sent = send(node, buyer)
        node.mine()
        yield Market(node, f"0x{buyer.hex()}", f"0x{oracle.hex()}", f"0x{sent.hex()}")


@pytest.mark.parametrize(
    ("method", "options", "most"),
    [
        ("eth_call", ["latest"], 9),
        ("eth_estimateGas", ["latest"], 9),
        ("eth_createAccessList", ["latest"], 9),
        ("debug_traceCall", ["latest", {"tracer": "callTracer"}], 9),
        ("debug_traceCall", ["latest", {"tracer": "prestateTracer"}], 10),
    ],
)
def test_of_a_call(market: Market, method: str, options: list[Any], most: int) -> None:
    """A traced call takes as many round trips as one that is not."""
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    connect(fork).call(method, {"from": ALICE_HEX, "to": market.buyer}, *options)
    assert asked.round_trips - before <= most


def test_of_a_simulation(market: Market) -> None:
    """It takes as many as a call."""
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    blocks = [{"calls": [{"from": ALICE_HEX, "to": market.buyer}]}]
    connect(fork).call("eth_simulateV1", {"blockStateCalls": blocks}, "latest")
    assert asked.round_trips - before <= 9


@pytest.mark.parametrize("tracer", ["callTracer", "prestateTracer", "structLogs"])
def test_of_a_replay(market: Market, tracer: str) -> None:
    """Three more are for the transaction, its receipt and the blocks; a tracer needs none."""
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    options = {} if tracer == "structLogs" else {"tracer": tracer}
    connect(fork).call("debug_traceTransaction", market.sent, options)
    assert asked.round_trips - before <= 12


def test_of_a_state_within_a_block(market: Market) -> None:
    """The transactions before it are replayed with what they read fetched together."""
    client = connect(market.node)
    client.call("evm_setAutomine", False)
    request = {"from": ALICE_HEX, "to": market.buyer, "gas": "0x7a120"}
    for _ in range(3):
        client.call("eth_sendTransaction", request)
    client.call("evm_mine")
    place = {"blockNumber": client.call("eth_blockNumber"), "transactionIndex": "0x2"}
    market.node.mine()
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    for method, params in (("eth_getTransactionCount", [ALICE_HEX]), ("eth_call", [request])):
        found = connect(fork).call(method, *params, place)
        assert found == client.call(method, *params, place)
    assert asked.round_trips - before <= 13


CALLS: list[tuple[str, list[Any]]] = [
    ("eth_call", ["latest"]),
    ("eth_estimateGas", ["latest"]),
    ("debug_traceCall", ["latest", {"tracer": "callTracer"}]),
    ("eth_sendTransaction", []),
]


@pytest.mark.parametrize("count", [1, 8])
def test_names_are_read_together(count: int) -> None:
    """Codes of contracts that are named take one round trip, however many there are."""
    with Node(fixed_clock=1_700_000_000) as node:
        addresses = [f"0x{deploy(node, TOKEN + bytes([each])).hex()}" for each in range(count)]
        node.mine()
        fork, asked = fork_of(node, artifacts=(str(FILE.parent),))
        calls = [{"to": each, "data": "0x12345678"} for each in addresses]
        logs = [{"address": each, "topics": [], "data": "0x"} for each in addresses]
        with fork:
            for method, parameter in (
                ("devchain_nameContracts", addresses),
                ("devchain_describeCalls", calls),
                ("devchain_describeLogs", logs),
            ):
                before = asked.round_trips
                fork.fork.cache._known.clear()
                connect(fork).call(method, parameter)
                assert asked.round_trips - before <= 1


def test_names_of_a_transaction(market: Market) -> None:
    """Explaining one of the fork takes no more round trips than tracing it, but one."""
    fork, asked = fork_of(market.node, artifacts=(str(FILE.parent),))
    with fork:
        request = {"from": ALICE_HEX, "to": market.buyer, "gas": "0x7a120"}
        sent = connect(fork).call("eth_sendTransaction", request)
        before = asked.round_trips
        connect(fork).call("devchain_explainTransaction", sent)
        assert asked.round_trips - before == 0

    fork, asked = fork_of(market.node, artifacts=(str(FILE.parent),))
    with fork:
        before = asked.round_trips
        connect(fork).call("debug_traceTransaction", market.sent, {"tracer": "callTracer"})
        traced = asked.round_trips - before
        before = asked.round_trips
        connect(fork).call("devchain_explainTransaction", market.sent)
        assert asked.round_trips - before <= 2
        assert traced <= 13


def test_storage_is_read_together(market: Market) -> None:
    """The slots that are described take one round trip, however many there are."""
    for count in (1, 20):
        fork, asked = fork_of(market.node)
        with fork:
            before = asked.round_trips
            slots = [hex(each) for each in range(count)]
            connect(fork).call("devchain_describeStorage", market.oracle, slots)
            assert asked.round_trips - before == 1


class TestPrefetch:
    """What a function needed is known to a fork of a later block, through the file of values."""

    @pytest.fixture
    def options(self, tmp_path: Path) -> dict[str, Any]:
        """The file that all forks share."""
        return {"storage_caching": True, "fork_cache": str(tmp_path / "forks.sqlite")}

    @pytest.mark.parametrize(("method", "more"), CALLS)
    def test_is_fetched_together(
        self, market: Market, options: dict[str, Any], method: str, more: list[Any]
    ) -> None:
        """A first call takes nine round trips, at a later block two, without more requests."""
        took = []
        request = {"from": ALICE_HEX, "to": market.buyer, "gas": "0x7a120"}
        for _ in range(3):
            market.node.mine()
            fork, asked = fork_of(market.node, **options)
            requests, round_trips = asked.requests, asked.round_trips
            with fork:
                connect(fork).call(method, request, *more)
            took.append((asked.round_trips - round_trips, asked.requests - requests))
        assert [each for each, _ in took] == [9, 2, 2]
        assert took[2][1] <= took[1][1] <= took[0][1]

    def test_is_kept_by_code(self, market: Market, options: dict[str, Any]) -> None:
        """A contract with the same code profits, though its slots name others."""
        first, _ = fork_of(market.node, **options)
        with first:
            connect(first).call("eth_call", {"to": market.oracle}, "latest")
        other = deploy(market.node, HOP)
        market.node.set_storage(other, 0, int(market.oracle, 16))
        market.node.mine()
        fork, asked = fork_of(market.node, **options)
        before = asked.round_trips
        with fork:
            found = connect(fork).call("eth_call", {"to": f"0x{other.hex()}"}, "latest")
        assert found == connect(market.node).call("eth_call", {"to": f"0x{other.hex()}"}, "latest")
        assert asked.round_trips - before <= 5

    def test_that_is_outdated_changes_no_answer(
        self, market: Market, options: dict[str, Any]
    ) -> None:
        """Where the contracts that are called have changed, the answer is that of the node."""
        for number in range(3):
            called = deploy(market.node, assemble(f"{number + 7} 0 MSTORE 32 0 RETURN"))
            oracle = Address(bytes.fromhex(market.oracle[2:]))
            market.node.set_storage(oracle, 0, int.from_bytes(called))
            market.node.mine()
            fork, _ = fork_of(market.node, **options)
            with fork:
                found = connect(fork).call("eth_call", {"to": market.oracle}, "latest")
            assert int(found, 16) == number + 8

    def test_of_another_selector_is_not_fetched(
        self, market: Market, options: dict[str, Any]
    ) -> None:
        """Functions of a contract read different slots."""
        for data, most in (("0x11111111", 7), ("0x22222222", 7), ("0x11111111", 2)):
            market.node.mine()
            fork, asked = fork_of(market.node, **options)
            before = asked.round_trips
            with fork:
                connect(fork).call("eth_call", {"to": market.oracle, "data": data}, "latest")
            assert asked.round_trips - before == most

    @pytest.mark.parametrize(
        "written",
        ["", "x", "{}", "[1]", '[["eth_getCode"]]', '[["eth_sendTransaction", "[BLOCK]"]]',
         "[[]]", '[["eth_getBalance", {"BLOCK": 1}]]', '[["eth_getCode", "[] BLOCK"]]',
         '[[[], "BLOCK"]]', '[["eth_getCode", 5]]', "[" * 10_000],
    )  # fmt: skip
    def test_that_is_damaged_is_ignored(
        self, market: Market, options: dict[str, Any], written: str
    ) -> None:
        """Nothing but known reads of the fork block's state is asked for."""
        fork, _ = fork_of(market.node, **options)
        with fork:
            connect(fork).call("eth_call", {"to": market.oracle}, "latest")
        with closing(sqlite3.connect(options["fork_cache"])) as file:
            file.execute("UPDATE prefetch SET queries = ?", (written,))
            file.commit()
        market.node.mine()
        fork, asked = fork_of(market.node, **options)
        before = asked.requests
        with fork:
            assert int(connect(fork).call("eth_call", {"to": market.oracle}, "latest"), 16) == 102
        block = hex(market.node.chain.height)
        state = {"eth_getBalance", "eth_getCode", "eth_getStorageAt", "eth_getTransactionCount"}
        later = asked.asked[before:]
        assert {each.method for each in later} <= {*state, "web3_clientVersion"}
        assert {each.values[-1] for each in later if each.method in state} == {block}
