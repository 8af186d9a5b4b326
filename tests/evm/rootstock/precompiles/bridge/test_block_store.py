"""`devchain.evm.rootstock.precompiles.bridge.block_store`: targets of the main and test networks"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devchain.evm.rootstock.precompiles.bridge import storage
from devchain.evm.rootstock.precompiles.bridge.block_store import (
    RETARGET_BLOCKS,
    BlockStore,
    HeaderRejected,
    StoredHeader,
)
from devchain.evm.rootstock.precompiles.bridge.federation import account_of
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.evm.rootstock.precompiles.bridge.calls import (
    arguments,
    call,
    child,
    hash_twice,
    headers,
    number,
    reading_call,
)
from tests.evm.rootstock.precompiles.calling import Machine

EASIEST, HARDER = 0x1D00FFFF, 0x1C00FFFF


def header(parent: bytes, time: int, bits: int) -> bytes:
    """A header without proof of work."""
    return (
        bytes(4)
        + parent[::-1]
        + bytes(32)
        + time.to_bytes(4, "little")
        + bits.to_bytes(4, "little")
        + bytes(4)
    )


class Headers:
    """A store of stored headers at heights up to that of the last one, and a check of the next."""

    def __init__(self, chain_id: int, last: int, blocks: list[tuple[int, int]]) -> None:
        call = reading_call(Machine(chain_id=chain_id))
        self.store, parent = BlockStore(call), bytes(32)
        for height, (time, bits) in enumerate(blocks, last - len(blocks) + 1):
            self.last = StoredHeader(header(parent, time, bits), height, 1)
            raw = (1).to_bytes(32) + height.to_bytes(4) + self.last.header
            storage.store(call, int.from_bytes(self.last.hash), raw)
            parent = self.last.hash

    def accepts(self, seconds: int, bits: int) -> bool:
        """Whether a header so long after the last one may have that target."""
        raw = header(self.last.hash, self.last.time + seconds, bits)
        try:
            self.store._check_target(self.last, StoredHeader(raw, self.last.height + 1, 2))
        except HeaderRejected:
            return False
        return True


class TestPeriods:
    @pytest.mark.parametrize(
        ("last", "first_time", "last_time", "bits", "next_bits"),
        [
            (32_255, 1_261_130_161, 1_262_152_739, 0x1D00FFFF, 0x1D00D86A),
            (2_015, 1_231_006_505, 1_233_061_996, 0x1D00FFFF, 0x1D00FFFF),
            (68_543, 1_279_008_237, 1_279_297_671, 0x1C05A3F4, 0x1C0168FD),
            (46_367, 1_263_163_443, 1_269_211_443, 0x1C387F6F, 0x1D00E1FD),
        ],
        ids=["harder", "easiest", "a quarter", "four times"],
    )
    @pytest.mark.parametrize("chain_id", [30, 31])
    def test_retargeted(  # a vector
        self, chain_id: int, last: int, first_time: int, last_time: int, bits: int, next_bits: int
    ) -> None:
        """A period's target is Bitcoin's (vectors of Bitcoin Core's pow_tests)."""
        between = [(first_time, bits)] * (RETARGET_BLOCKS - 1)
        headers = Headers(chain_id, last, [*between, (last_time, bits)])

        assert headers.accepts(600, next_bits)
        assert not headers.accepts(600, next_bits - 1)

    def test_before_the_first_block(self) -> None:
        """A period that began before the first header has no known target."""
        assert not Headers(30, 32_255, [(0, EASIEST)]).accepts(600, EASIEST)

    def test_within(self) -> None:
        """The target of the main network does not change within a period."""
        headers = Headers(30, 100, [(0, HARDER)])

        assert headers.accepts(2_000, HARDER)
        assert not headers.accepts(2_000, EASIEST)


class TestTestnet:
    def test_easiest_after_a_pause(self) -> None:
        """After twenty minutes without a block one may have the easiest target."""
        headers = Headers(31, 100, [(0, HARDER)])

        assert headers.accepts(1_201, EASIEST)
        assert not headers.accepts(1_200, EASIEST)
        assert headers.accepts(1_200, HARDER)

    def test_back_to_the_last(self) -> None:
        """After such a block the target is that of the last without it."""
        headers = Headers(31, 101, [(0, HARDER), (2_000, EASIEST)])

        assert headers.accepts(600, HARDER)
        assert not headers.accepts(600, EASIEST)

    def test_start_of_a_period(self) -> None:
        """A block that begins a period counts, whatever its target."""
        headers = Headers(31, RETARGET_BLOCKS + 1, [(0, EASIEST), (2_000, EASIEST)])

        assert headers.accepts(600, EASIEST)
        assert not headers.accepts(600, HARDER)


DATA = json.loads(Path(__file__).with_name("bitcoin_transactions.json").read_text())
# Bitcoin's blocks from height 849,134 on, and the work up to the first, from rskj's
# BridgeSupportTest and RepositoryBtcBlockStoreWithCacheChainWorkTest.
REAL = tuple(map(bytes.fromhex, DATA["headers"]))
REAL_HEIGHT, REAL_WORK = 849_134, 0x7FFEF81FA11393037C9DF17B


class TestWork:
    def begin(self, upgrade: str, known: int = 0, work: int = REAL_WORK) -> Machine:
        """Mainnet's Bridge with one of the headers as the head of its chain."""
        machine = Machine(upgrade, chain_id=30, local_call=False)
        call_ = reading_call(machine)
        size = 32 if upgrade == "lovell" else 12
        raw = work.to_bytes(size) + (REAL_HEIGHT + known).to_bytes(4) + REAL[known]
        for slot in (
            storage.slot_of("blockStoreChainHead"),
            int.from_bytes(hash_twice(REAL[known])),
        ):
            storage.store(call_, slot, raw)
        return machine

    @pytest.mark.parametrize(("upgrade", "accepted"), [("arrowhead", 3), ("lovell", 5)])
    def test_headers(self, upgrade: str, accepted: int) -> None:
        """Before Lovell mainnet's chain ends where work has too many bytes (RSKIP434)."""
        machine = self.begin(upgrade)
        sender = account_of(powpeg_of(30).keys[0])
        outcome = call(machine, "receiveHeaders(bytes[])", headers(*REAL[1:]), sender=sender)
        store = BlockStore(reading_call(machine))

        assert outcome.error is None
        assert store.head.height == REAL_HEIGHT + accepted
        assert store.head.header == REAL[accepted]
        known = [store.get(hash_twice(each)) is not None for each in REAL]
        assert known == [True] * (accepted + 1) + [False] * (5 - accepted)
        # The work has 12 bytes before Lovell (RSKIP454), 32 from then on.
        raw = storage.load(reading_call(machine), int.from_bytes(hash_twice(REAL[accepted])))
        assert len(raw) == (128 - 12 if upgrade == "lovell" else 96)
        assert store.head.work > REAL_WORK

    @pytest.mark.parametrize(("upgrade", "accepted"), [("arrowhead", False), ("lovell", True)])
    def test_later_headers(self, upgrade: str, accepted: bool) -> None:
        """Before Lovell headers after one with too much work are passed over."""
        machine = self.begin(upgrade)
        reading = reading_call(machine)
        size = 32 if upgrade == "lovell" else 12
        parent = REAL_WORK.to_bytes(size) + (REAL_HEIGHT + 3).to_bytes(4) + REAL[3]
        storage.store(reading, int.from_bytes(hash_twice(REAL[3])), parent)
        sender = account_of(powpeg_of(30).keys[0])
        sent = headers(REAL[4], REAL[1])

        assert call(machine, "receiveHeaders(bytes[])", sent, sender=sender).error is None
        store = BlockStore(reading)
        known = [store.get(hash_twice(REAL[at])) is not None for at in (4, 1)]
        assert known == [accepted, accepted]

    @pytest.mark.parametrize(("upgrade", "answer"), [("arrowhead", -99), ("lovell", 0)])
    def test_header(self, upgrade: str, answer: int) -> None:
        """So does `receiveHeader`."""
        machine = self.begin(upgrade, 3, 0x7FFFDC6F043E4A69EA179A7A)
        outcome = call(machine, "receiveHeader(bytes)", arguments(REAL[4]))

        assert number(outcome) == answer
        store = BlockStore(reading_call(machine))
        assert (store.get(hash_twice(REAL[4])) is None) == (answer != 0)

    @pytest.mark.parametrize(
        ("work", "size", "expected"),
        [
            (0, 12, 0),
            (1, 12, 1),
            (2**63 - 1, 12, 2**63 - 1),
            (2**96 - 1, 12, 2**96 - 1),
            (2**96, 32, 2**96),
            (2**256 - 1, 32, 2**256 - 1),
        ],
    )
    @pytest.mark.parametrize("upgrade", ["arrowhead", "lovell"])
    def test_stored(self, upgrade: str, work: int, size: int, expected: int) -> None:
        """Work of either size is read under any upgrade."""
        machine = Machine(upgrade, chain_id=30)
        raw = work.to_bytes(size) + REAL_HEIGHT.to_bytes(4) + REAL[0]
        storage.store(reading_call(machine), int.from_bytes(hash_twice(REAL[0])), raw)
        found = BlockStore(reading_call(machine)).get(hash_twice(REAL[0]))

        assert found == StoredHeader(REAL[0], REAL_HEIGHT, expected)

    @pytest.mark.parametrize(("upgrade", "is_added"), [("arrowhead", False), ("lovell", True)])
    def test_too_much(self, upgrade: str, is_added: bool) -> None:
        """Before Lovell work that does not fit into 12 bytes is refused at any height."""
        machine = Machine(upgrade)
        reading = reading_call(machine)
        parent = child(root=b"\5" * 32)
        size = 32 if upgrade == "lovell" else 12
        raw = (2**96 - 1).to_bytes(size) + (1).to_bytes(4) + parent
        storage.store(reading, int.from_bytes(hash_twice(parent)), raw)
        header = child(previous=hash_twice(parent).hex())
        answer = call(machine, "receiveHeader(bytes)", arguments(header))

        assert number(answer) == (0 if is_added else -99)
