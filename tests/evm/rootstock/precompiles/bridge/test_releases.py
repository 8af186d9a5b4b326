"""`devchain.evm.rootstock.precompiles.bridge.releases`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge import releases
from tests.evm.rootstock.precompiles.bridge.calls import at_block, reading_call
from tests.evm.rootstock.precompiles.calling import Machine

TRANSACTIONS = [
    BitcoinTransaction(1, (TxInput(bytes(32), index, b""),), (TxOutput(1, b""),))
    for index in range(14)
]
JAVA = [9, 11, 10, 7, 8, 6, 5, 13, 3, 1, 0, 2, 4, 12]
"""The order in which a `HashSet` of Java 17 iterates entries with these hashes and blocks."""


class TestWaiting:
    @pytest.mark.parametrize(
        ("machine", "order"),
        [
            (Machine("lovell"), JAVA),
            (Machine("vetiver", chain_id=30), JAVA),
            (Machine("vetiver"), list(range(14))),
            (Machine("next", chain_id=30), list(range(14))),
        ],
        ids=["local before", "main", "local", "main next"],
    )
    def test_order(self, machine: Machine, order: list[int]) -> None:
        """The next to be confirmed is Java's first, since RSKIP559 the first as serialized."""
        reading = reading_call(machine)
        for number, transaction in reversed(list(enumerate(TRANSACTIONS))):
            at_block(machine, number)
            releases.add_to_waiting(reading, transaction, None)
        waiting = releases.load_waiting(reading)

        assert [entry.block_number for entry in waiting] == order

    def test_once(self) -> None:
        """A transaction waits once, with the hash of the first Rootstock transaction."""
        machine = Machine()
        reading = reading_call(machine)
        at_block(machine, 5)
        for rsk_hash in (b"\1" * 32, b"\2" * 32):
            releases.add_to_waiting(reading, TRANSACTIONS[0], rsk_hash)

        assert releases.load_waiting(reading) == [(TRANSACTIONS[0], 5, b"\1" * 32)]


def test_for_signatures() -> None:
    """The list is sorted by the hashes from their end (Keccak256.compareTo)."""
    reading = reading_call(Machine())
    hashes = [bytes([2]) + bytes(31), bytes(31) + bytes([1]), bytes(32)]
    releases.store_for_signatures(reading, dict(zip(hashes, TRANSACTIONS, strict=False)))

    assert list(releases.load_for_signatures(reading)) == [bytes(32), hashes[0], hashes[1]]
