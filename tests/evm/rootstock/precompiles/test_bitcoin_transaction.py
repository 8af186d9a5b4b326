"""`devchain.evm.rootstock.precompiles.bitcoin_transaction`"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    MAX_MONEY,
    NO_INDEX,
    BitcoinTransaction,
    TxInput,
    TxOutput,
)

# The only transaction of block 1 of Bitcoin.
COINBASE = (
    "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0704ffff001d"
    "0104ffffffff0100f2052a0100000043410496b538e853519c726a2c91e61ec11600ae1390813a627c66fb8be7947be6"
    "3c52da7589379515d4e0a604f8141781e62294721166bf621e73a82cbf2342c858eeac00000000"
)
COINBASE_ID = "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098"
WITNESS = (
    f"01000000 0001 01 {'aa' * 32} 00000000 00 ffffffff"
    " 01 e803000000000000 01 51  02 03010203 00  00000000"
)

items = st.binary(max_size=80)
transactions = st.builds(
    BitcoinTransaction,
    st.integers(0, 2**32 - 1),
    st.lists(
        st.builds(
            TxInput,
            st.binary(min_size=32, max_size=32),
            st.integers(0, 2**32 - 1),
            items,
            st.integers(0, 2**32 - 1),
            st.lists(items, max_size=3).map(tuple),
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    st.lists(st.builds(TxOutput, st.integers(-(2**63), 2**63 - 1), items), max_size=3).map(tuple),
    st.integers(0, 2**32 - 1),
)


def test_parse() -> None:
    """A transaction of Bitcoin's chain has the hash that it has there."""
    parsed = BitcoinTransaction.parse(bytes.fromhex(COINBASE))

    assert parsed.txid.hex() == COINBASE_ID
    assert parsed.is_coinbase
    assert parsed.outputs[0].value == 50 * 10**8
    parsed.checked()


def test_witness() -> None:
    """Witnesses are read, and are no part of the hash."""
    raw = bytes.fromhex(WITNESS)
    parsed = BitcoinTransaction.parse(raw)
    spent = replace(parsed.inputs[0], witness=())

    assert parsed.inputs[0].witness == (b"\1\2\3", b"")
    assert parsed.serialize() == raw
    assert parsed.txid == replace(parsed, inputs=(spent,)).txid


@given(transactions)
def test_round_trip(transaction: BitcoinTransaction) -> None:
    """What is serialized is parsed to the same transaction."""
    assert BitcoinTransaction.parse(transaction.serialize()) == transaction


@given(st.binary(max_size=200))
def test_any_bytes(raw: bytes) -> None:
    """Bytes are a transaction or a `ValueError`."""
    try:
        BitcoinTransaction.parse(b"\1\0\0\0" + raw)
    except ValueError:
        return


@pytest.mark.parametrize("raw", [b"", b"\1\0\0\0\xff" + b"\xff" * 8], ids=["empty", "huge count"])
def test_malformed(raw: bytes) -> None:
    """Bytes that end too early are refused, whatever count they declare."""
    with pytest.raises(ValueError, match="cut off"):
        BitcoinTransaction.parse(raw)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"outputs": ()}, "needs inputs and outputs"),
        ({"outputs": (TxOutput(-1, b""),)}, "an amount is negative"),
        ({"outputs": (TxOutput(MAX_MONEY, b""), TxOutput(1, b""))}, "more than there are"),
        ({"outputs": (TxOutput(1, bytes(10**6)),)}, "at most 1,000,000 bytes"),
        ({"inputs": (TxInput(b"\1" * 32, 0, b""),) * 2}, "spent twice"),
        ({"inputs": (TxInput(bytes(32), NO_INDEX, b"\1"),)}, "2 to 100 bytes"),
        (
            {"inputs": (TxInput(bytes(32), NO_INDEX, b""), TxInput(b"\1" * 32, 0, b""))},
            "only the input of a coinbase",
        ),
    ],
)
def test_check(change: dict[str, object], reason: str) -> None:
    """What no block can have is refused."""
    good = BitcoinTransaction(1, (TxInput(b"\1" * 32, 0, b""),), (TxOutput(1, b""),))
    good.checked()
    with pytest.raises(ValueError, match=reason):
        replace(good, **change).checked()  # type: ignore[arg-type]
