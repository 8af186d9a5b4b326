"""`devchain.cli.tui.watcher`"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings

from devchain.cli.chain_follower import PatientClient
from devchain.cli.tui.watcher import (
    MAX_BLOCKS,
    MAX_EXPLAINED,
    MAX_READ,
    MAX_TRANSACTIONS,
    TAKEN_BACK_SECONDS,
    Snapshot,
    Watcher,
)
from devchain.client.http import Call, LocalClient
from devchain.config import Config
from devchain.errors import ConnectionFailed, ExecutionReverted, InvalidInput, RpcFailure, VmError
from devchain.node import Node
from devchain.types import checksum
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.cli.scripted import ScriptedClient
from tests.cli.tui.chains import STEPS, ChangingChain
from tests.conftest import GENESIS_TIME
from tests.contracts.till import FILE
from tests.contracts.vault import VAULT


class Time:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def time() -> Time:
    """The watcher's clock."""
    return Time()


@pytest.fixture
def watcher(client: LocalClient, time: Time) -> Watcher:
    """A watcher of `node`."""
    return Watcher(client, now=time)


def shown(snapshot: Snapshot) -> list[str]:
    """The hashes of the blocks that are not taken back, oldest first."""
    return [each.block.hash for each in reversed(snapshot.blocks) if each.taken_back_at is None]


class TestDrawnChains:
    @given(STEPS)
    @settings(max_examples=40)
    def test_shows_the_chain(self, steps: list[tuple[str, int]]) -> None:
        """After any changes what is shown is the chain: its newest blocks, balances and head."""
        with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
            client, time = LocalClient(node), Time()
            chain, watcher = ChangingChain(client), Watcher(client, [ALICE_HEX], now=time)
            for step, count in [*steps, ("poll", 0)]:
                chain.do(step, count)
                if step != "poll":
                    continue
                snapshot, hashes = watcher.poll(), chain.hashes()

                assert snapshot.head is not None
                assert snapshot.head.hash == hashes[-1]
                assert shown(snapshot) == hashes[-len(shown(snapshot)) :]
                assert snapshot.accounts[0].account.balance == node.balance(ALICE)
                for each in snapshot.blocks:
                    mined = [tx.hash for tx in each.transactions]
                    if each.taken_back_at is None:
                        block = node.chain.block(each.block.number)
                        assert mined == [f"0x{tx.hash.hex()}" for tx in block.transactions]
                time.seconds += TAKEN_BACK_SECONDS
            time.seconds += TAKEN_BACK_SECONDS

            assert shown(watcher.poll()) == hashes[-len(shown(snapshot)) :]
            assert all(each.taken_back_at is None for each in watcher.poll().blocks)


class TestBlocks:
    def test_taken_back(self, client: LocalClient, watcher: Watcher, time: Time) -> None:
        """Blocks that a revert took back are marked, and go after some seconds."""
        snapshot = client.call("evm_snapshot")
        client.call("hardhat_mine", "0x2")
        watcher.poll()
        client.call("evm_revert", snapshot)
        marked = watcher.poll()
        time.seconds += TAKEN_BACK_SECONDS

        assert [(each.block.number, each.taken_back_at) for each in marked.blocks] == [
            (2, 1_000.0),
            (1, 1_000.0),
            (0, None),
        ]
        assert [each.block.number for each in watcher.poll().blocks] == [0]

    def test_many_at_once(self, client: LocalClient, watcher: Watcher) -> None:
        """Of very many blocks the newest are read."""
        watcher.poll()
        client.call("hardhat_mine", hex(1_000))
        numbers = [each.block.number for each in watcher.poll().blocks]

        assert numbers == [*range(1_000, 1_000 - MAX_READ, -1), 0]

    def test_transactions_stay(self, client: LocalClient, watcher: Watcher) -> None:
        """However many empty blocks follow, the blocks before them that are not empty are shown."""
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gas": "0x5208"})
        for _ in range(6):
            numbers = [each.block.number for each in watcher.poll().blocks]
            client.call("hardhat_mine", hex(MAX_READ))

        newest = 1 + 5 * MAX_READ
        assert numbers == [*range(newest, newest - MAX_BLOCKS + 1, -1), 1]

    def test_many_transactions(self, client: LocalClient, watcher: Watcher) -> None:
        """Of a block with many transactions the first are read, and all are counted."""
        client.call("evm_setAutomine", False)
        for each in range(MAX_TRANSACTIONS + 5):
            sender = (ALICE_HEX, BOB_HEX)[each % 2]
            client.call("eth_sendTransaction", {"from": sender, "to": BOB_HEX, "gas": "0x5208"})
        client.call("evm_mine")
        newest = watcher.poll().blocks[0]

        assert (len(newest.transactions), len(newest.block.transactions)) == (
            MAX_TRANSACTIONS,
            MAX_TRANSACTIONS + 5,
        )


class TestTransactions:
    def test_hint(self) -> None:
        """One that failed without a reason has the hint."""
        node = Node(Config(artifacts=(str(FILE),)))
        till = node.deploy("Till")
        with pytest.raises(VmError):
            node.transact(to=till.address, data=bytes.fromhex("12345678"))
        [failed] = Watcher(LocalClient(node)).poll().blocks[0].transactions

        assert failed.reason == "Till has no function with the selector 0x12345678"

    def test_many_failures(self, node: Node, watcher: Watcher) -> None:
        """Reasons of many failures come with later polls, those of the newest first."""
        vault = node.deploy(VAULT, 100)
        for _ in range(MAX_EXPLAINED + 1):
            with pytest.raises(ExecutionReverted):
                vault.withdraw(sender=BOB)
        first = [each.transactions[0].reason for each in watcher.poll().blocks[:-2]]
        second = [each.transactions[0].reason for each in watcher.poll().blocks[:-2]]
        reason = f"custom error NotOwner(caller={checksum(BOB)})"

        assert first == [reason] * MAX_EXPLAINED + [None]
        assert second == [reason] * (MAX_EXPLAINED + 1)


class TestAccounts:
    def test_change(self, client: LocalClient, watcher: Watcher, time: Time) -> None:
        """An account has the last change of its balance."""
        watcher.poll()
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x5"})
        watcher.poll()
        time.seconds += 100
        bob = watcher.poll().accounts[1]

        assert (bob.account.address, bob.index, bob.change) == (checksum(BOB), 1, 5)

    def test_wanted(self, client: LocalClient) -> None:
        """Those that are asked for, by number or address, are shown, and no others."""
        stranger = "0x" + "77" * 20
        accounts = Watcher(client, ["1", stranger]).poll().accounts

        assert [(each.account.address, each.index) for each in accounts] == [
            (checksum(BOB), 1),
            (stranger, None),
        ]

    def test_unknown_number(self, client: LocalClient) -> None:
        """A number that the node does not have is refused."""
        with pytest.raises(InvalidInput, match="there is no account 99"):
            Watcher(client, ["99"]).poll()

    def test_edited(self, client: LocalClient, watcher: Watcher, time: Time) -> None:
        """A balance set without a block is seen with the next poll of balances."""
        watcher.poll()
        client.call("hardhat_setBalance", BOB_HEX, "0x7")
        time.seconds += 1

        assert watcher.poll().accounts[1].account.balance == 7


class TestMempool:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)

    def test_waiting(self, client: LocalClient, watcher: Watcher, time: Time) -> None:
        """Waiting transactions are counted and shown until they are mined."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, "gas": "0x5208"}
        client.call("eth_sendTransaction", request)
        client.call("eth_sendTransaction", {**request, "nonce": "0x9"})
        pool = watcher.poll().mempool
        client.call("evm_mine")
        time.seconds += 1

        assert (pool.pending, pool.queued) == (1, 1)
        assert [(each.status, each.nonce) for each in pool.transactions] == [
            ("pending", 0),
            ("pending", 9),
        ]
        assert watcher.poll().mempool.pending == 0


class Unsteady:
    """A client that loses its connection in the n-th exchange from when `fails_after` is set."""

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self.fails_after: int | None = None

    def call(self, *call: Any) -> Any:
        """One call."""
        self._count()
        return self._client.call(*call)

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """Several calls."""
        self._count()
        return self._client.batch(calls)

    def _count(self) -> None:
        if self.fails_after is not None:
            self.fails_after -= 1
            if self.fails_after < 0:
                raise ConnectionFailed("no node answers at http://127.0.0.1:4444: start one")


class TestConnection:
    @pytest.mark.parametrize("exchanges", range(8))
    def test_lost(self, node: Node, client: LocalClient, time: Time, exchanges: int) -> None:
        """Wherever in a poll the connection is lost, no block is missed when it is back."""
        unsteady = Unsteady(client)
        watcher = Watcher(unsteady, now=time)
        before = watcher.poll()
        vault = node.deploy(VAULT, 100)
        with pytest.raises(ExecutionReverted):
            vault.withdraw(sender=BOB)
        unsteady.fails_after = exchanges
        time.seconds += 10
        lost = watcher.poll()
        unsteady.fails_after = None
        found = watcher.poll()

        assert (before.is_waiting, lost.is_waiting, found.is_waiting) == (False, True, False)
        assert (lost.problem, found.problem) == ("", "")
        assert [each.block.number for each in found.blocks] == [2, 1, 0]
        assert found.blocks[0].transactions[0].reason == (
            f"custom error NotOwner(caller={checksum(BOB)})"
        )

    def test_not_there_yet(self, client: LocalClient) -> None:
        """A node that does not answer at first is waited for."""
        unsteady = Unsteady(client)
        unsteady.fails_after = 0
        watcher = Watcher(unsteady)
        assert watcher.poll() == Snapshot(is_waiting=True)
        unsteady.fails_after = None

        assert [each.block.number for each in watcher.poll().blocks] == [0]

    def test_other_node(self, client: LocalClient) -> None:
        """A node without devchain's methods, mempool and accounts shows its blocks."""
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x5"})
        snapshot = Watcher(Plain(client)).poll()

        assert snapshot.accounts == ()
        assert snapshot.mempool.pending is None
        assert [tx.value for each in snapshot.blocks for tx in each.transactions] == [5]


class Plain:
    """A client of a node that has few methods; it fails if it is asked twice for another."""

    HAS = ("eth_getBlockByNumber", "eth_getTransactionReceipt", "eth_chainId", "eth_call")

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self._asked: set[str] = set()

    def call(self, method: str, *params: object) -> Any:
        """One call."""
        if method in self.HAS:
            return self._client.call(method, *params)
        assert method not in self._asked, method
        self._asked.add(method)
        raise RpcFailure(-32601, "no such method")

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """Several calls."""
        results = []
        for method, *params in calls:
            try:
                results.append(self.call(str(method), *params))
            except RpcFailure as failure:
                results.append(failure)
        return results


class TestPatientClient:
    def test_remembers(self) -> None:
        """A method that the node lacks is asked for once, alone or in a batch."""
        node = ScriptedClient(eth_chainId="0x1")
        patient = PatientClient(node)
        for _ in range(2):
            with pytest.raises(RpcFailure):
                patient.call("txpool_status")
            chain, pool = patient.batch([("eth_chainId",), ("txpool_status",)])
            assert chain == "0x1"
            assert pool.code == -32601

        assert node.calls.count(("txpool_status",)) == 1

    def test_other_node(self) -> None:
        """After a lost connection, when another node may answer, it is asked for again."""
        node = ScriptedClient(eth_chainId=ConnectionFailed("no node answers"))
        patient = PatientClient(node)
        patient.batch([("txpool_status",)])
        with pytest.raises(ConnectionFailed):
            patient.batch([("eth_chainId",)])
        patient.batch([("txpool_status",)])

        assert node.calls.count(("txpool_status",)) == 2

    def test_other_errors(self) -> None:
        """Any other error does not keep it from asking again."""
        node = ScriptedClient(eth_gasPrice=RpcFailure(-32000, "busy"))
        patient = PatientClient(node)
        patient.batch([("eth_gasPrice",)])
        patient.batch([("eth_gasPrice",)])

        assert len(node.calls) == 2
