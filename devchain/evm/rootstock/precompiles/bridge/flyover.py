"""The Bridge's method for Flyover deposits: peg-ins to a contract of providers (RSKIP176).

A deposit pays to the federation's redeem script behind a hash of what was agreed: the provider and
the user. The contract has paid the user already, and gets the RBTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from devchain.evm.rootstock.precompiles.bitcoin_script import flyover_script, script_hash_of
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import federation, peg_ins, releases, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.federation import Federation
from devchain.evm.rootstock.precompiles.bridge.methods import WEI_PER_SATOSHI, peg_of, send, writing
from devchain.evm.rootstock.precompiles.bridge.senders import BitcoinAddress
from devchain.evm.rootstock.precompiles.bridge.transaction_kinds import minimum_peg_in, outputs_to
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed
from devchain.types import Address

REFUNDED_USER = -100
REFUNDED_PROVIDER = -200
CALLER_NOT_CONTRACT = -300
SENDER_INVALID = -301
ALREADY_PROCESSED = -302
NOT_CONFIRMED = -303
VALUE_ZERO = -304
VALUE_BELOW_MINIMUM = -305
FAILED = -900

ADDRESS_SIZE = 21  # version and hash of a Bitcoin address
TRUE = b"\1"


class _Deposit(NamedTuple):
    """The scripts of deposits to a federation, and the outputs of a transaction with them."""

    federation: Federation
    redeem_script: bytes
    output_script: bytes
    outputs: list[utxos.Utxo]


def _register(  # noqa: PLR0911, PLR0913, PLR0917  # a code each; as the method's ABI
    call: Call,
    raw: bytes,
    height: int,
    tree: bytes,
    agreement: bytes,
    refund_address: bytes,
    liquidity_bridge: Address,
    provider_address: bytes,
    refund_to_provider: bool,  # noqa: FBT001
) -> int:
    user = _read_address(call, refund_address)
    provider = _read_address(call, provider_address)
    if user is None or provider is None:
        return FAILED
    if not call.is_from_contract:
        return CALLER_NOT_CONTRACT
    if call.sender != liquidity_bridge:
        return SENDER_INVALID
    derivation = derivation_of(agreement, refund_address, liquidity_bridge, provider_address)
    try:
        answer = _check(call, raw, height, tree, derivation)
        if isinstance(answer, int):
            return answer
        transaction, deposits = answer
        amount = sum(utxo.value for deposit in deposits for utxo in deposit.outputs)
        storage.store(call, _used_slot(transaction.txid, derivation), TRUE)
        if not peg_ins.fits_locking_cap(call, amount):
            _refund(call, transaction, deposits, provider if refund_to_provider else user)
            return REFUNDED_PROVIDER if refund_to_provider else REFUNDED_USER
        send(call, liquidity_bridge, amount * WEI_PER_SATOSHI)
        _store_deposits(call, derivation, deposits)
    except PrecompileFailed:
        return FAILED
    return amount * WEI_PER_SATOSHI


def derivation_of(agreement: bytes, user: bytes, contract: Address, provider: bytes) -> bytes:
    """The hash that a deposit's redeem script begins with; addresses have their versions."""
    return keccak(agreement + user[:ADDRESS_SIZE] + contract + provider[:ADDRESS_SIZE])


def _read_address(call: Call, raw: bytes) -> BitcoinAddress | None:
    if len(raw) < ADDRESS_SIZE or (call.since("fingerroot") and len(raw) > ADDRESS_SIZE):
        return None
    # The version was a signed byte before Hop.
    peg, version, hashed = peg_of(call), raw[0], raw[1:ADDRESS_SIZE]
    if not peg.accepts_version(version) or (version >= 0x80 and not call.since("fingerroot")):
        return None
    if version == peg.key_version:
        return BitcoinAddress.of_key(peg, hashed)
    return BitcoinAddress.of_script(peg, hashed)


def _check(
    call: Call, raw: bytes, height: int, tree: bytes, derivation: bytes
) -> tuple[BitcoinTransaction, list[_Deposit]] | int:
    # The transaction and its deposits, or the code of the answer. Raises `PrecompileFailed`.
    if _is_used(call, double_sha256(raw)[::-1], derivation):
        return ALREADY_PROCESSED
    if not peg_ins.is_confirmed(call, raw, height, tree):
        return NOT_CONFIRMED
    transaction = BitcoinTransaction.parse(raw).checked()
    if _is_used(call, transaction.txid, derivation):
        return ALREADY_PROCESSED
    # Before Hop only deposits to the active federation count (RSKIP293), and bitcoinj fails at
    # outputs without an address.
    live = federation.live(call)
    if not call.since("fingerroot"):
        live = live[:1]
        for output in transaction.outputs:
            peg_ins.hash_in_output(output.script)
    deposits = [_deposit(transaction, each, derivation) for each in live]
    values = [utxo.value for deposit in deposits for utxo in deposit.outputs]
    if not sum(values):
        return VALUE_ZERO
    if call.since("fingerroot") and min(values) < minimum_peg_in(call):
        return VALUE_BELOW_MINIMUM
    return transaction, deposits


def _deposit(transaction: BitcoinTransaction, each: Federation, derivation: bytes) -> _Deposit:
    redeem_script = flyover_script(derivation, each.redeem_script)
    output_script = each.output_script_of(redeem_script)
    outputs = outputs_to(transaction, [output_script])
    return _Deposit(each, redeem_script, output_script, outputs)


def _used_slot(txid: bytes, derivation: bytes) -> int:
    return storage.hashed_slot_of(f"fastBridgeHashUsedInBtcTx-{txid.hex()}{derivation.hex()}")


def _is_used(call: Call, txid: bytes, derivation: bytes) -> bool:
    return storage.load(call, _used_slot(txid, derivation)) == TRUE


def _store_deposits(call: Call, derivation: bytes, deposits: Sequence[_Deposit]) -> None:
    for slot, deposit in zip((utxos.active_slot(call), utxos.OLD), deposits, strict=False):
        if slot == utxos.OLD and not deposit.outputs and deposit is not deposits[0]:
            continue
        script_hash = script_hash_of(deposit.output_script) or b""
        item = [derivation, deposit.federation.script_hash]
        storage.store_rlp(call, releases.flyover_slot(script_hash), item)
        utxos.store_utxos(call, slot, [*utxos.load_utxos(call, slot), *deposit.outputs])


def _refund(
    call: Call,
    transaction: BitcoinTransaction,
    deposits: Sequence[_Deposit],
    receiver: BitcoinAddress,
) -> None:
    # The first federation that was paid decides on the format, the active one before the other.
    paid = [deposit for deposit in deposits if deposit.outputs]
    outputs = outputs_to(transaction, [deposit.output_script for deposit in paid])
    scripts = {script_hash_of(deposit.output_script): deposit.redeem_script for deposit in paid}
    builder = releases.builder_of(call, [deposit.federation for deposit in paid], outputs, b"")
    peg_ins.send_back(call, replace(builder, redeem_script=scripts.get), receiver)


METHODS = (
    writing("registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)"
            " -> int256", 25_000, _register, "iris"),
)  # fmt: skip
