"""Drawn transactions and proofs: peg-ins and deposits end with an answer or a failure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from devchain.evm.rootstock.precompiles.bitcoin_script import push
from devchain.evm.rootstock.precompiles.bitcoin_transaction import TxInput
from devchain.evm.rootstock.precompiles.native_contract import (
    PrecompileFailed,
    PrecompileUnsupported,
)
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FEDERATION_SCRIPT,
    PUBLIC_KEY,
    REDEEM_SCRIPT,
    REGISTER,
    SIGNATURE,
    BitcoinBlocks,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import arguments, call, tree_of_one
from tests.evm.rootstock.precompiles.bridge.test_flyover import (
    DEPOSIT_SCRIPT,
    Proof,
    register_proof,
)

PUSHED = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"", SIGNATURE, PUBLIC_KEY, REDEEM_SCRIPT, b"\0\x20" + bytes(32)]),
)
SCRIPTS = st.one_of(
    st.binary(max_size=60),
    st.lists(PUSHED, max_size=5).map(lambda items: b"".join(map(push, items))),
)
OUTPUT_SCRIPTS = st.one_of(
    SCRIPTS,
    st.sampled_from([FEDERATION_SCRIPT, DEPOSIT_SCRIPT]),
    st.binary(max_size=50).map(lambda data: b"\x6a" + push(b"RSKT\1" + data)),
)
INPUTS = st.builds(
    TxInput,
    st.binary(min_size=32, max_size=32),
    st.integers(0, 2**32 - 1),
    SCRIPTS,
    witness=st.lists(PUSHED, max_size=4).map(tuple),
)
OUTPUTS = st.tuples(st.integers(-1, 2000 * 10**8), OUTPUT_SCRIPTS)
TRANSACTIONS = st.builds(
    lambda outputs, inputs: paying(*outputs, spent=tuple(inputs)).serialize(),
    st.lists(OUTPUTS, max_size=4),
    st.lists(INPUTS, max_size=3),
)


@st.composite
def cut(draw: st.DrawFn) -> bytes:
    """Bytes of a transaction, maybe with one changed, or cut off."""
    raw = draw(TRANSACTIONS)
    place = draw(st.integers(0, len(raw)))
    change = draw(st.sampled_from(["none", "none", "cut", "byte", "more"]))
    if change == "cut":
        return raw[:place]
    if change == "byte":
        return raw[:place] + draw(st.binary(min_size=1, max_size=1)) + raw[place + 1 :]
    return raw + b"\0" * (change == "more")


def check(blocks: BitcoinBlocks, raw: bytes, height: int, tree: bytes) -> None:
    """Register it in both ways."""
    outcome = call(blocks.machine, REGISTER, arguments(raw, height, tree))
    assert outcome.error is None or isinstance(
        outcome.error, (PrecompileFailed, PrecompileUnsupported)
    )
    answer = register_proof(blocks, Proof(raw, height, tree))
    assert answer.error is None


@pytest.mark.parametrize("upgrade", ["iris", "fingerroot", "lovell", "vetiver"])
@settings(deadline=None)
@given(raw=cut())
def test_transactions(upgrade: str, raw: bytes) -> None:
    """What a block is proven to have."""
    blocks = BitcoinBlocks(upgrade)
    height = blocks.mine(3, root=double_sha256(raw)[::-1])

    check(blocks, raw, height, tree_of_one(raw))


@settings(deadline=None, max_examples=20)
@given(raws=st.lists(cut(), max_size=20))
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
