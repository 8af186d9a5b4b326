"""Any transaction and proof gets an answer of the Bridge, or a failure, under every upgrade.

`python -m tests.fuzzing bridge` draws transactions that a block is proven to have, and proofs. They
are registered as peg-ins and as Flyover deposits.
"""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
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

UPGRADES = ("iris", "fingerroot", "lovell", "vetiver")
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
def damaged_transactions(draw: st.DrawFn) -> bytes:
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
    """Register it in both ways; raises `AssertionError` for any other error."""
    outcome = call(blocks.machine, REGISTER, arguments(raw, height, tree))
    assert outcome.error is None or isinstance(
        outcome.error, (PrecompileFailed, PrecompileUnsupported)
    ), f"{blocks.machine}: {outcome.error!r} for {raw.hex()} {height} {tree.hex()}"
    answer = register_proof(blocks, Proof(raw, height, tree))
    assert answer.error is None, f"{answer.error!r} for {raw.hex()} {height} {tree.hex()}"


def check_proven(upgrade: str, raw: bytes) -> None:
    """Check a transaction that a block with enough confirmations is proven to have."""
    blocks = BitcoinBlocks(upgrade)
    height = blocks.mine(3, root=double_sha256(raw)[::-1])
    check(blocks, raw, height, tree_of_one(raw))


def replay() -> None:
    """There is no corpus: what was found has tests of its own."""


@settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(UPGRADES),
    st.lists(damaged_transactions(), min_size=1, max_size=4),
    st.binary(max_size=200),
)
def search(upgrade: str, raws: list[bytes], tree: bytes) -> None:
    """Check some transactions and proofs."""
    for raw in raws:
        check_proven(upgrade, raw)
    # From this height on hashes tell the federation's own transactions.
    blocks = BitcoinBlocks(upgrade, height=350)
    for raw in raws:
        height = blocks.mine(3, root=double_sha256(raw)[::-1])
        check(blocks, raw, height, tree_of_one(raw))
        check(blocks, raw, height, tree)
