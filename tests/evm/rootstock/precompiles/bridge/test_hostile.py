"""Drawn transactions and proofs: peg-ins and deposits end with an answer or a failure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import BitcoinBlocks
from tests.evm.rootstock.precompiles.bridge.bridge_fuzzer import (
    UPGRADES,
    check,
    check_proven,
    damaged_transactions,
)
from tests.evm.rootstock.precompiles.bridge.calls import tree_of_one


@pytest.mark.parametrize("upgrade", UPGRADES)
@settings(deadline=None)
@given(raw=damaged_transactions())
def test_transactions(upgrade: str, raw: bytes) -> None:
    """What a block is proven to have."""
    check_proven(upgrade, raw)


@settings(deadline=None, max_examples=20)
@given(raws=st.lists(damaged_transactions(), max_size=20))
def test_known_by_hash(raws: list[bytes]) -> None:
    """The same where hashes tell the federation's own transactions."""
    blocks = BitcoinBlocks(height=350)
    for raw in raws:
        height = blocks.mine(3, root=double_sha256(raw)[::-1])
        check(blocks, raw, height, tree_of_one(raw))


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, 5), st.binary(max_size=200))
def test_proofs(raw: bytes, height: int, tree: bytes) -> None:
    """Any proof."""
    blocks = BitcoinBlocks()
    blocks.mine(3)

    check(blocks, raw, height, tree)
