"""The answer to a transaction depends on the state and its block, not on what ran before.

Cases are played in random orders, interleaved, on copies of a node, and again after reverts. What
an earlier execution leaves in memory (compiled regions, caches of states and roots) must not show.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pytest
from eth_account import Account
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.node import Node
from devchain.types import Address, TransactionRequest
from tests.bytecode import assemble, init_code, word
from tests.recorded_rskj import IS_AVAILABLE, Case, Difference, Player, config, load_cases

shuffled = settings(
    max_examples=6,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MAX_WORLDS = 3

CONTRACTS = {
    # As many rounds as the call data say: each adds to slot 0 and emits a log.
    "loop": """
        0 CALLDATALOAD again: DUP1 0 SLOAD ADD 0 SSTORE DUP1 0 MSTORE DUP1 32 0 LOG1
        1 SWAP1 SUB DUP1 @again JUMPI 0 SLOAD 0 MSTORE 32 0 RETURN
    """,
    # Creates a contract that destroys itself when it is called, calls it, and reads the gas. The
    # call data are the salt, so that the same address is used twice.
    "factory": """
        0x6002600c60003960026000f333ff 144 SHL 0 MSTORE
        0 CALLDATALOAD 32 0 0 CREATE2 DUP1 1 SSTORE
        0 0 0 0 0 DUP6 50000 CALL GAS 2 SSTORE ADD 0 MSTORE 32 0 RETURN
    """,
    # Calls itself with half of its gas, and counts the calls and those that succeeded.
    "recursion": """
        0 SLOAD 1 ADD 0 SSTORE 0 32 32 0 0 ADDRESS 2 GAS DIV CALL
        1 SLOAD ADD 1 SSTORE 1 SLOAD 0 MSTORE MSIZE 32 MSTORE 64 0 RETURN
    """,
    # Counts in transient storage, which is empty in each transaction, and hashes its call data.
    "transient": """
        0 TLOAD 1 ADD DUP1 0 TSTORE 0 MSTORE CALLDATASIZE 0 32 CALLDATACOPY
        32 64 CALLDATASIZE 32 2 5000 STATICCALL 64 MLOAD 0 SSTORE 0 TLOAD 1 SSTORE 96 0 RETURN
    """,
}
CALL_DATA = (0, 1, 3, 12, 12, 3)


@cache
def own_cases() -> tuple[Case, ...]:
    """A case for each of the contracts, recorded on nodes of their own with the plain engine."""
    return tuple(
        _record(name, assemble(source), key)
        for key, (name, source) in enumerate(CONTRACTS.items(), start=1)
    )


def _record(name: str, code: bytes, key: int) -> Case:
    account = Account.from_key(key.to_bytes(32))
    case = Case(name, account.address.lower(), [], [], {}, slots=3)
    with Node(config("reference")) as node:
        player = Player(node)
        player.prepare([case])
        created = None
        for nonce, argument in enumerate((None, *CALL_DATA)):
            request = TransactionRequest(
                sender=Address(bytes.fromhex(account.address[2:])),
                to=created,
                data=init_code(code) if argument is None else word(argument),
                gas=1_000_000,
                gas_price=0,
                nonce=nonce,
                value=nonce,
            )
            signed = node.sign(request, key.to_bytes(32))
            tx = {
                "nonce": nonce,
                "to": created and "0x" + created.hex(),
                "value": hex(nonce),
                "gas": hex(1_000_000),
                "gasPrice": "0x0",
                "data": "0x" + signed.data.hex(),
                "sig": f"0x{signed.r:064x}{signed.s:064x}{signed.v:02x}",
                "hash": "0x" + signed.hash.hex(),
            }
            found = player.answers(tx, case.sender)
            created = created or Address(bytes.fromhex(found["contractAddress"][2:]))
            case.transactions.append(tx)
            case.expected.append(found)
        accounts = (case.sender, "0x" + created.hex())
        return replace(case, after={each: player.account(each, 3) for each in accounts})


@cache
def recorded_cases() -> tuple[Case, ...]:
    """Some recorded cases of each kind but the Bridge's."""
    parts = {"program": 150, "opcode": 40, "precompile": 20, "solidity": 13}
    return tuple(case for file, count in parts.items() for case in load_cases(file, 1, count))


@dataclass
class World:
    """A node, how far it has come in each case, and snapshots with what it had done by then."""

    player: Player
    cases: Sequence[Case]
    done: list[int]
    snapshots: list[tuple[int, list[int]]] = field(default_factory=list)

    def step(self, place: int) -> list[Difference]:
        """Play the next transaction of a case, and compare its accounts after the last one."""
        case, index = self.cases[place], self.done[place]
        if index == len(case.transactions):
            return []
        self.done[place] += 1
        found = list(self.player.step(case, index))
        if self.done[place] == len(case.transactions):
            found += self.player.check_accounts(case)
        return [each for each in found if not _is_java_exception(case, each)]

    def take_snapshot(self) -> None:
        """Take a snapshot."""
        self.snapshots.append((self.player.ask("evm_snapshot")["result"], list(self.done)))

    def revert(self) -> None:
        """Go back to the newest snapshot, if there is one, which keeps it."""
        if self.snapshots:
            snapshot, done = self.snapshots[-1]
            assert self.player.ask("evm_revert", snapshot)["result"] is True
            self.done = list(done)

    def copy(self) -> World:
        """A world on a copy of the node."""
        return World(Player(self.player.node.copy()), self.cases, list(self.done))


def _is_java_exception(case: Case, difference: Difference) -> bool:
    """Whether the recorded node answered -32603, which is not copied."""
    wanted: Any = difference.wanted
    return difference.what == "call" and wanted == {"error": [-32603, "Internal server error"]}


Action = tuple[str, int]

actions = st.lists(
    st.tuples(
        st.sampled_from(["step"] * 8 + ["snapshot", "revert", "revert", "copy"]),
        st.integers(0, 10_000),
    ),
    min_size=40,
    max_size=120,
)


def play(cases: Sequence[Case], schedule: Sequence[Action]) -> None:
    """Play the cases as the schedule says, then the rest of each in every world."""
    with _deep_stack(), Node(config()) as node:
        player = Player(node)
        player.prepare(cases)
        worlds = [World(player, cases, [0] * len(cases))]
        worlds[0].take_snapshot()
        for action, number in schedule:
            world = worlds[number % len(worlds)]
            if action == "step":
                assert world.step(number % len(cases)) == []
            elif action == "snapshot":
                world.take_snapshot()
            elif action == "revert":
                world.revert()
            elif len(worlds) < MAX_WORLDS:
                worlds.append(world.copy())
        for world in worlds:
            for place, case in enumerate(cases):
                while world.done[place] < len(case.transactions):
                    assert world.step(place) == []


@contextmanager
def _deep_stack() -> Iterator[None]:
    """Raise the recursion limit as py-evm does on import; hypothesis lowers it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 100_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class TestOrder:
    @shuffled
    @given(schedule=actions)
    def test_own_cases(self, schedule: list[Action]) -> None:
        """Answers are those of the plain engine on a new node."""
        play(own_cases(), schedule)

    @pytest.mark.skipif(not IS_AVAILABLE, reason="the recorded cases are not available")
    @shuffled
    @given(schedule=actions, rng=st.randoms(use_true_random=False))
    def test_recorded_cases(self, schedule: list[Action], rng: Any) -> None:
        """Answers are those recorded on the real node."""
        play(rng.sample(recorded_cases(), 6), schedule)
