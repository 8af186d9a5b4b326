"""Inputs of a federation's transactions: redeem scripts, slots for signatures, signatures.

An input has the pushes of its redeem script in the scriptSig, or in the witness since SegWit. The
signatures are in the order of the script's keys; empty slots for others are behind them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from coincurve import PublicKey

from devchain.evm.rootstock.precompiles.bitcoin_script import (
    RedeemScript,
    parse_script,
    push,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.native_contract import (
    Malformed,
    PrecompileFailed,
    java_bytes,
)

MOST_SIGNATURES = 16  # of a scriptSig that bitcoinj builds
MOST_WITNESS_SIGNATURES = 1_000  # the real node takes any number; no SegWit script can have more
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141  # of secp256k1
SEQUENCE, INTEGER = 0x30, 0x02  # tags of DER
SIGHASH_ALL = b"\1"


def redeem_script_in(spent: TxInput) -> bytes | None:
    """The last push of an input, if it is a script; None without one.

    Raises `PrecompileFailed` if a push of the scriptSig is cut off.
    """
    script = _stack(spent)[-1:]
    try:
        parse_script(b"".join(filter(None, script)))
    except ValueError:
        return None
    return script[0] if script else None


def unsigned_input(spent: TxInput, redeem: RedeemScript, *, is_segwit: bool) -> TxInput:
    """An input with empty slots for signatures; raises `Malformed` for too many of them.

    The first push is there for an error in OP_CHECKMULTISIG. Before an ERP script is one that
    selects the federation's part; SegWit inputs always have it.
    """
    if redeem.threshold > (MOST_WITNESS_SIGNATURES if is_segwit else MOST_SIGNATURES):
        raise Malformed(f"an input cannot have {redeem.threshold} signatures")
    slots = 1 + redeem.threshold + (redeem.is_erp or is_segwit)
    stack = (*(b"",) * slots, redeem.raw)
    if is_segwit:
        return replace(spent, script=push(witness_program(redeem.raw)), witness=stack)
    return _with_stack(replace(spent, witness=()), stack)


def without_signatures(transaction: BitcoinTransaction) -> BitcoinTransaction:
    """The transaction before its signatures; raises `Malformed` if an input is no multisig's."""
    inputs = (
        unsigned_input(spent, redeem_of(spent), is_segwit=bool(spent.witness))
        for spent in transaction.inputs
    )
    return replace(transaction, inputs=tuple(inputs))


def hash_without_signatures(transaction: BitcoinTransaction) -> bytes:
    """The transaction id before signatures; raises `Malformed` if an input is no multisig's."""
    if transaction.has_witnesses:
        return transaction.txid
    return without_signatures(transaction).txid


def pegout_hash(transaction: BitcoinTransaction) -> bytes | None:
    """What the Bridge knows its own transactions by, signed or not (RSKIP379); None for others."""
    redeem_script = redeem_script_in(transaction.inputs[0]) if transaction.inputs else None
    if redeem_script is None:
        return None
    try:
        return without_signatures(transaction).signature_hash(0, redeem_script)
    except ValueError:
        return None


class Signature(NamedTuple):
    """An ECDSA signature on secp256k1."""

    r: int
    s: int

    @classmethod
    def parse(cls, raw: bytes) -> Signature:
        """A signature in DER, or in what bitcoinj takes for it; raises `Malformed`.

        Numbers are read without a sign, and what follows them is not read. One that is too large
        for a signature becomes the curve's order, which is too large, too.
        """
        content, _ = _der_value(raw, 0, SEQUENCE)
        r, at = _der_value(content, 0, INTEGER)
        s, _ = _der_value(content, at, INTEGER)
        return cls(*(min(int.from_bytes(number), ORDER) for number in (r, s)))

    def encode(self) -> bytes:
        """The shortest encoding in DER."""
        numbers = map(java_bytes, self)
        content = b"".join(bytes([INTEGER, len(number)]) + number for number in numbers)
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
    key's signature already, or that the key cannot sign, of which nothing is logged.
    """
    digests = [digest_of(transaction, index, values) for index in range(len(transaction.inputs))]
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
        b"" not in _stack(spent)[1 : -2 if redeem_of(spent).is_erp else -1]
        for spent in transaction.inputs
    )


def digest_of(transaction: BitcoinTransaction, index: int, values: list[int]) -> bytes:
    """What a federator signs for an input; `values` are of the outputs that are spent."""
    spent = transaction.inputs[index]
    script = redeem_of(spent).raw
    if not spent.witness:
        return transaction.signature_hash(index, script)
    if index >= len(values):
        raise PrecompileFailed("the values that the bitcoin transaction spends are not known")
    return transaction.witness_signature_hash(index, script, values[index])


def _signed(spent: TxInput, key: bytes, signature: Signature, digest: bytes) -> TxInput | None:
    # None if the input has the key's signature; raises `Malformed` if the key cannot sign it.
    stack, keys = _stack(spent), redeem_of(spent).keys
    pushed = [item for item in stack[1:-1] if item]
    present = [Signature.parse(item) for item in pushed]
    if any(each.is_of(key, digest) for each in present):
        return None
    own = keys.index(key)
    # Real signatures of an input are all of its keys, so that one before the key's is by a key
    # before it.
    place = sum(any(each.is_of(other, digest) for other in keys[:own]) for each in present)
    empty = len(stack) - 3 - len(pushed)
    if empty < 0:
        raise PrecompileFailed("an input of the bitcoin transaction has all signatures")
    pushed.insert(place, signature.encode() + SIGHASH_ALL)
    return _with_stack(spent, (stack[0], *pushed, *(b"",) * empty, stack[-1]))


def _stack(spent: TxInput) -> tuple[bytes, ...]:
    # What an input pushes, empty for opcodes.
    if spent.witness:
        return spent.witness
    try:
        return tuple(chunk.pushed or b"" for chunk in parse_script(spent.script))
    except ValueError as error:
        raise PrecompileFailed("the script of a bitcoin input is malformed") from error


def _with_stack(spent: TxInput, stack: tuple[bytes, ...]) -> TxInput:
    if spent.witness:
        return replace(spent, witness=stack)
    return replace(spent, script=b"".join(map(push, stack)))


def redeem_of(spent: TxInput) -> RedeemScript:
    """The redeem script of an input; raises `Malformed` without one."""
    return RedeemScript.parse(redeem_script_in(spent) or b"")


def _der_value(raw: bytes, at: int, tag: int) -> tuple[bytes, int]:
    # The content of a value with that tag, and the offset after it.
    if at + 1 >= len(raw) or raw[at] != tag:
        raise Malformed("the signature is not encoded in DER")
    size, start = raw[at + 1], at + 2
    if size >= 0x80:
        count = size - 0x80
        if not 0 < count <= 4:
            raise Malformed("a length in the signature is malformed")
        size, start = int.from_bytes(raw[start : start + count]), start + count
    if start + size > len(raw):
        raise Malformed("the signature is cut off")
    return raw[start : start + size], start + size
