"""`devchain.evm.rootstock.precompiles.bridge.block_store`: targets of the main and test networks"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.bridge import storage
from devchain.evm.rootstock.precompiles.bridge.block_store import (
    RETARGET_BLOCKS,
    BlockStore,
    HeaderRejected,
    StoredHeader,
)
from tests.evm.rootstock.precompiles.bridge.calls import reading_call
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
