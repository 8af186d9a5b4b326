"""Legacy transactions, written and read by hand: nearly all that a chain of ours sees."""

from __future__ import annotations

from typing import Any, NamedTuple

from eth.vm.forks.spurious_dragon.transactions import SpuriousDragonTransaction
from eth_hash.auto import keccak

from devchain.chain.signatures import recover, sign
from devchain.encoding import content, encode_bytes, encode_int, split_list, wrap
from devchain.evm.rules import Rules
from devchain.types import Address, TransactionRequest

SIGNED_FIELDS = 6
FIELDS = SIGNED_FIELDS + 3
OLD_V = 27
CHAIN_ID_V = 35
"""From there on v holds a chain id (EIP-155)."""
ADDRESS_SIZES = (0, 20)


class Read(NamedTuple):
    """A signed transaction: py-evm's object, its bytes, and who signed it."""

    signed: Any
    raw: bytes
    sender: Address


def sign_legacy(
    request: TransactionRequest, private_key: bytes, chain_id: int, rules: Rules
) -> Read:
    """The transaction of a complete request, signed with the chain id where rules know of it."""
    values = (
        _known(request.nonce),
        _known(request.gas_price),
        _known(request.gas),
        request.to or b"",
        _known(request.value),
        request.data,
    )
    unsigned = b"".join(
        encode_bytes(each) if isinstance(each, bytes) else encode_int(each) for each in values
    )
    kind = legacy_class(rules)
    is_bound = issubclass(kind, SpuriousDragonTransaction)
    digest = _digest(unsigned, chain_id if is_bound else None)
    (y_parity, r, s), sender = sign(digest, private_key)
    v = y_parity + (2 * chain_id + CHAIN_ID_V if is_bound else OLD_V)
    raw = wrap(unsigned + encode_int(v) + encode_int(r) + encode_int(s))
    return Read(kind(*values, v, r, s), raw, sender)


def _known(value: int | None) -> int:
    if value is None:
        msg = "the request has gaps"
        raise TypeError(msg)
    return value


def read_legacy(raw: bytes, rules: Rules) -> Read | None:
    """The transaction those bytes are; None if they are none that is signed and well-formed."""
    try:
        members = split_list(raw)
        items = [content(each) for each in members]
    except ValueError:
        return None
    if len(items) != FIELDS or len(items[3]) not in ADDRESS_SIZES:
        return None
    numbers = [item for place, item in enumerate(items) if place not in (3, 5)]
    if any(item[:1] == b"\0" for item in numbers):
        return None
    nonce, price, gas, value, v, r, s = (int.from_bytes(item, "big") for item in numbers)
    signed = legacy_class(rules)(nonce, price, gas, items[3], value, items[5], v, r, s)
    y_parity = v - OLD_V if signed.chain_id is None else 1 - v % 2
    digest = _digest(b"".join(members[:SIGNED_FIELDS]), signed.chain_id)
    sender = recover(digest, y_parity, r, s)
    return None if sender is None else Read(signed, raw, sender)


def _digest(unsigned: bytes, chain_id: int | None) -> bytes:
    """What is signed: the fields before the signature, and the chain id where there is one."""
    known = b"" if chain_id is None else encode_int(chain_id) + encode_int(0) + encode_int(0)
    return keccak(wrap(unsigned + known))


def legacy_class(rules: Rules) -> Any:
    """py-evm's class of legacy transactions; since Berlin its builder has others beside it."""
    builder = rules.vm_class.get_transaction_builder()
    return getattr(builder, "legacy_signed", builder)
