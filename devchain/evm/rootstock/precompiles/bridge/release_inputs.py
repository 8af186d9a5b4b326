"""Inputs of a federation's transactions: their redeem scripts, slots for signatures, signatures.

An input has the pushes of its redeem script in the scriptSig, or in the witness since SegWit.
"""

from __future__ import annotations

from dataclasses import replace

from devchain.evm.rootstock.precompiles.bitcoin_script import (
    RedeemScript,
    parse_script,
    script_of,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed

MOST_SIGNATURES = 16  # of a scriptSig that bitcoinj builds
MOST_WITNESS_SIGNATURES = 1_000  # the real node takes any number; no SegWit script can have more


def redeem_script_in(spent: TxInput) -> bytes | None:
    """The last push of an input, if it is a script; None without one.

    Raises `PrecompileFailed` if a push of the scriptSig is cut off.
    """
    if spent.witness:
        pushed: bytes | None = spent.witness[-1]
    else:
        try:
            chunks = parse_script(spent.script)
        except ValueError as error:
            raise PrecompileFailed("the script of a bitcoin input is malformed") from error
        pushed = chunks[-1].pushed if chunks else None
    try:
        parse_script(pushed or b"")
    except ValueError:
        return None
    return pushed


def unsigned_input(spent: TxInput, redeem: RedeemScript, *, is_segwit: bool) -> TxInput:
    """An input with empty slots for signatures; raises `ValueError` for too many of them."""
    if redeem.threshold > (MOST_WITNESS_SIGNATURES if is_segwit else MOST_SIGNATURES):
        raise ValueError(f"an input cannot have {redeem.threshold} signatures")
    if not is_segwit:
        return replace(spent, script=script_of(redeem.empty_stack()), witness=())
    # The real node has SegWit federations with an emergency part only.
    stack = replace(redeem, is_erp=True).empty_stack()
    return replace(spent, script=redeem.segwit_input(), witness=stack)


def without_signatures(transaction: BitcoinTransaction) -> BitcoinTransaction:
    """The transaction before its signatures; raises `ValueError` if an input is no multisig's."""
    inputs = []
    for spent in transaction.inputs:
        redeem = RedeemScript.parse(redeem_script_in(spent) or b"")
        inputs.append(unsigned_input(spent, redeem, is_segwit=bool(spent.witness)))
    return replace(transaction, inputs=tuple(inputs))


def hash_without_signatures(transaction: BitcoinTransaction) -> bytes:
    """The transaction id before signatures; raises `ValueError` if an input is no multisig's."""
    if transaction.has_witnesses:
        return transaction.txid
    return without_signatures(transaction).txid


def pegout_hash(transaction: BitcoinTransaction) -> bytes | None:
    """What the Bridge knows its own transactions by, signed or not (RSKIP379); None for others."""
    if not transaction.inputs:
        return None
    redeem_script = redeem_script_in(transaction.inputs[0])
    if redeem_script is None:
        return None
    try:
        unsigned = without_signatures(transaction)
    except ValueError:
        return None
    return unsigned.signature_hash(0, redeem_script)
