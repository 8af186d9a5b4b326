"""Signatures of federators for the transactions that wait for them.

A federator sends one signature for each input, DER-encoded. Each goes into a slot of its input, in
the order of the keys in the redeem script.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from coincurve import PublicKey

from devchain.evm.rootstock.precompiles.bitcoin import read_varint
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    RedeemScript,
    parse_script,
    script_of,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed, java_bytes

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
HASH_TYPE = b"\1"  # SIGHASH_ALL
SEQUENCE, INTEGER = 0x30, 0x02  # tags of DER
LONG_LENGTH = 0x80
MOST_LENGTH_BYTES = 4


class Signature(NamedTuple):
    """An ECDSA signature on secp256k1."""

    r: int
    s: int

    @classmethod
    def parse(cls, raw: bytes) -> Signature:
        """A signature in DER, or in what bitcoinj takes for it; raises `ValueError`.

        Numbers are read without a sign, and what follows them is not read.
        """
        content, _ = _value(raw, 0, SEQUENCE)
        r, at = _value(content, 0, INTEGER)
        s, _ = _value(content, at, INTEGER)
        return cls(int.from_bytes(r), int.from_bytes(s))

    def encode(self) -> bytes:
        """The shortest encoding in DER."""
        numbers = [java_bytes(number) for number in self]
        parts = [bytes([INTEGER, len(number)]) + number for number in numbers]
        content = b"".join(parts)
        return bytes([SEQUENCE, len(content)]) + content

    def is_of(self, key: bytes, digest: bytes) -> bool:
        """Whether this is the key's canonical signature of a hash: the one with the smaller s."""
        if not (0 < self.r < ORDER and 0 < self.s <= ORDER // 2):
            return False
        return PublicKey(key).verify(self.encode(), digest, hasher=None)


def sign_inputs(
    transaction: BitcoinTransaction, key: bytes, signatures: list[Signature], values: list[int]
) -> tuple[BitcoinTransaction, bool]:
    """The transaction with a federator's signatures, and whether the Bridge logs them.

    `values` are of the outputs that are spent, for SegWit inputs. Nothing is signed unless all
    signatures are the key's. As the real node does, inputs are signed up to the first that has the
    key's signature already, or that the key cannot sign; nothing is logged then.
    """
    digests = [_digest(transaction, index, values) for index in range(len(transaction.inputs))]
    pairs = list(zip(signatures, digests, strict=True))
    if not all(signature.is_of(key, digest) for signature, digest in pairs):
        return transaction, False
    inputs, is_logged = list(transaction.inputs), True
    for index, (signature, digest) in enumerate(pairs):
        try:
            signed = _signed(inputs[index], key, signature, digest)
        except ValueError:
            is_logged = False
            break
        if signed is None:
            is_logged = index > 0
            break
        inputs[index] = signed
    return replace(transaction, inputs=tuple(inputs)), is_logged


def has_all_signatures(transaction: BitcoinTransaction) -> bool:
    return all(
        b"" not in _stack(spent)[1 : -2 if _redeem(spent).is_erp else -1]
        for spent in transaction.inputs
    )


def parse_values(raw: bytes) -> list[int]:
    """The values of spent outputs, as the Bridge stores them."""
    values, at = [], 0
    try:
        while at < len(raw):
            value, at = read_varint(raw, at)
            values.append(value)
    except ValueError as error:
        raise PrecompileFailed("values of spent outputs are malformed") from error
    return values


def _digest(transaction: BitcoinTransaction, index: int, values: list[int]) -> bytes:
    spent = transaction.inputs[index]
    script = redeem_script_in(spent)
    if script is None:
        raise PrecompileFailed("an input of the bitcoin transaction has no redeem script")
    if not spent.witness:
        return transaction.signature_hash(index, script)
    if index >= len(values):
        raise PrecompileFailed("the values that the bitcoin transaction spends are not known")
    return transaction.witness_signature_hash(index, script, values[index])


def _signed(spent: TxInput, key: bytes, signature: Signature, digest: bytes) -> TxInput | None:
    # None if the input has the key's signature; raises `ValueError` if the key cannot sign it.
    stack, keys = _stack(spent), _redeem(spent).keys
    pushed = [item for item in stack[1:-1] if item]
    present = [Signature.parse(item) for item in pushed]
    if any(each.is_of(key, digest) for each in present):
        return None
    own, place = keys.index(key), 0
    for each in present:
        if own < [each.is_of(other, digest) for other in keys].index(True):
            break
        place += 1
    if b"" not in stack[1:-1]:
        raise PrecompileFailed("an input of the bitcoin transaction has all signatures")
    pushed.insert(place, signature.encode() + HASH_TYPE)
    empty = len(stack) - 2 - len(pushed)
    filled = (stack[0], *pushed, *(b"",) * empty, stack[-1])
    if spent.witness:
        return replace(spent, witness=filled)
    return replace(spent, script=script_of(filled))


def _stack(spent: TxInput) -> tuple[bytes, ...]:
    if spent.witness:
        return spent.witness
    try:
        return tuple(chunk.pushed or b"" for chunk in parse_script(spent.script))
    except ValueError as error:
        raise PrecompileFailed("the script of a bitcoin input is malformed") from error


def _redeem(spent: TxInput) -> RedeemScript:
    try:
        return RedeemScript.parse(redeem_script_in(spent) or b"")
    except ValueError as error:
        raise PrecompileFailed(
            "an input of the bitcoin transaction has no redeem script"
        ) from error


def _value(raw: bytes, at: int, tag: int) -> tuple[bytes, int]:
    # The content of a value with that tag, and the offset after it.
    if at + 1 >= len(raw) or raw[at] != tag:
        raise ValueError("the signature is not encoded in DER")
    size, start = raw[at + 1], at + 2
    if size >= LONG_LENGTH:
        count = size - LONG_LENGTH
        if not 0 < count <= MOST_LENGTH_BYTES:
            raise ValueError("a length in the signature is malformed")
        size, start = int.from_bytes(raw[start : start + count]), start + count
    if start + size > len(raw):
        raise ValueError("the signature is cut off")
    return raw[start : start + size], start + size
