"""What rskj's tests of RSKIPs 543, 545 and 546 expect (its branch `rskip545`, 2026-06-29).

`rskj_typed_transactions.toml` has the facts of its unit tests of encodings; those of execution are
in `test_typed_transactions`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import rlp

from devchain.chain.transaction import decode, sign_digest
from devchain.errors import TransactionRejected
from devchain.evm.hardforks import rules_for
from devchain.state.keccak import keccak
from tests.accounts import ALICE_KEY

CASES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("rskj_typed_transactions.toml").read_text(encoding="utf-8")
)
RULES = rules_for("next")
CHAIN_ID = 33
TO = bytes.fromhex("1234567890123456789012345678901234567890")
PRICE = 10_000_000_000
FIELDS: dict[int, dict[str, Any]] = {
    1: {"chainId": CHAIN_ID, "nonce": 0, "gasPrice": PRICE, "gas": 21_000, "to": TO, "value": 0,
        "data": b"", "accessList": []},
    2: {"chainId": CHAIN_ID, "nonce": 0, "maxPriorityFeePerGas": PRICE, "maxFeePerGas": PRICE,
        "gas": 21_000, "to": TO, "value": 0, "data": b"", "accessList": []},
    4: {"chainId": CHAIN_ID, "nonce": 0, "maxPriorityFeePerGas": PRICE, "maxFeePerGas": PRICE,
        "gas": 100_000, "to": TO, "value": 0, "data": b"", "accessList": [],
        "authorizationList": [[CHAIN_ID, TO, 0, 0, 1, 1]]},
}  # fmt: skip


def value_of(written: Any) -> Any:
    """A number, a list, or bytes in hex."""
    if isinstance(written, list):
        return [value_of(each) for each in written]
    return bytes.fromhex(written[2:]) if isinstance(written, str) else written


def raw_of(case: dict[str, Any]) -> bytes:
    """The signed transaction of a case, with the fields that it changes."""
    if "raw" in case:
        raw: bytes = value_of(case["raw"])
        return raw
    kind = case["type"]
    fields = {**FIELDS[kind], **{name: value_of(each) for name, each in case["fields"].items()}}
    signature = {name: fields.pop(name) for name in ("yParity", "r", "s") if name in fields}
    unsigned = list(fields.values())
    (parity, r, s), _ = sign_digest(keccak(bytes([kind]) + rlp.encode(unsigned)), ALICE_KEY)
    signed = [signature.get("yParity", parity), signature.get("r", r), signature.get("s", s)]
    return bytes([kind]) + bytes(rlp.encode([*unsigned, *signed]))


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["name"])
def test_refused(case: dict[str, Any]) -> None:
    """These are no transactions, or not of this chain."""
    with pytest.raises(TransactionRejected):
        decode(raw_of(case), case.get("chain", CHAIN_ID), RULES)


@pytest.mark.parametrize("case", CASES["accepted"], ids=lambda case: case["name"])
def test_accepted(case: dict[str, Any]) -> None:
    """These are; they are encoded again as they were, at that price and intrinsic gas."""
    raw, expected = raw_of(case), {"price": PRICE, **case}
    tx = decode(raw, case.get("chain", CHAIN_ID), RULES)

    assert (tx.raw, tx.signed.encode(), tx.hash) == (raw, raw, keccak(raw))
    assert (tx.signed.gas_price, tx.type) == (expected["price"], expected["type"])
    assert tx.intrinsic_gas == expected["intrinsic"]
