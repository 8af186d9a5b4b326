"""`devchain.evm.rootstock.precompiles.bridge.releases`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge import releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.release_inputs import pegout_hash
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    at_block,
    call,
    reading_call,
    topic,
)
from tests.evm.rootstock.precompiles.bridge.federations import signers
from tests.evm.rootstock.precompiles.calling import Machine, Outcome

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


class TestConfirmed:
    """Cases and outcomes are those of rskj's BridgeSupportTest."""

    CREATED, UPDATED = b"\1" * 32, bytes(32)

    def confirm(self, upgrade: str, known: bytes | None, taken: bytes = b"") -> Outcome:
        """Update with a confirmed transaction, created with that hash; `taken` is one that waits.

        The hash of an update is zero in an `eth_call`.
        """
        self.machine = Machine(upgrade)
        reading = reading_call(self.machine)
        at_block(self.machine, 5)
        entry = releases.Waiting(TRANSACTIONS[0], 1, known)
        releases.store_waiting(reading, [entry])
        if taken:
            releases.store_for_signatures(reading, {taken: TRANSACTIONS[1]})
        return call(self.machine, "updateCollections()", sender=account("federator1"))

    @pytest.mark.parametrize(
        ("upgrade", "known", "expected"),
        [
            ("wasabi", None, UPDATED),
            ("papyrus", None, UPDATED),
            ("papyrus", CREATED, CREATED),
            ("iris", CREATED, UPDATED),
            ("fingerroot", CREATED, CREATED),
            ("vetiver", CREATED, CREATED),
        ],
    )
    def test_hash(self, upgrade: str, known: bytes | None, expected: bytes) -> None:
        """Whose hash a transaction has that waits for signatures (RSKIP146, 176, 375)."""
        outcome = self.confirm(upgrade, known)
        confirmed = [
            log
            for log in outcome.logs
            if log.topics[0] == topic("pegout_confirmed(bytes32,uint256)")
        ]

        assert outcome.error is None
        assert list(releases.load_for_signatures(reading_call(self.machine))) == [expected]
        assert len(confirmed) == (upgrade in {"fingerroot", "vetiver"})  # RSKIP326

    @pytest.mark.parametrize(
        ("upgrade", "taken", "fails"),
        [
            ("papyrus", CREATED, False),
            ("iris", UPDATED, False),
            ("fingerroot", CREATED, True),
            ("vetiver", CREATED, True),
        ],
    )
    def test_taken(self, upgrade: str, taken: bytes, fails: bool) -> None:
        """Before RSKIP375 another transaction of that hash is replaced."""
        outcome = self.confirm(upgrade, self.CREATED, taken)
        waiting = releases.load_for_signatures(reading_call(self.machine))

        assert (outcome.error is not None) == fails
        assert waiting == {taken: TRANSACTIONS[1 if fails else 0]}


def test_for_signatures() -> None:
    """The list is sorted by the hashes from their end (Keccak256.compareTo)."""
    reading = reading_call(Machine())
    hashes = [bytes([2]) + bytes(31), bytes(31) + bytes([1]), bytes(32)]
    releases.store_for_signatures(reading, dict(zip(hashes, TRANSACTIONS, strict=False)))

    assert list(releases.load_for_signatures(reading)) == [bytes(32), hashes[0], hashes[1]]


@pytest.mark.parametrize(
    ("upgrade", "stored", "is_known"),
    [
        ("arrowhead", b"\1", True),
        ("vetiver", b"\1", True),
        ("vetiver", b"", False),
        ("vetiver", b"\0", False),
        ("vetiver", b"\1\1", False),
    ],
)
def test_created(upgrade: str, stored: bytes, is_known: bool) -> None:
    """A slot of one byte marks a transaction (rskj's BridgeStorageProviderPegoutTxIndexTests)."""
    reading = reading_call(Machine(upgrade))
    spender = signers(Machine(upgrade), "one two three", Format.STANDARD)
    created = BitcoinTransaction(1, (spender.input(),), (TxOutput(1, b""),))
    storage.store(reading, releases._created_slot(pegout_hash(created) or b""), stored)

    assert releases.is_created(reading, created) == is_known
