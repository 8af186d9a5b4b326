"""Bitcoin transactions that spend a federation's outputs, with empty slots for signatures.

Outputs are selected and fees are computed as by bitcoinj's wallet: the fee is that of the signed
size, and the receivers pay it, each an equal part and the first the remainder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, script_hash_of
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    MAX_MONEY,
    BitcoinTransaction,
    TxInput,
    TxOutput,
    varint,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import unsigned_input
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed

MOST_BYTES = 100_000  # of a transaction that nodes relay
MOST_VIRTUAL_BYTES = 90_000  # since RSKIP378
MIGRATED_VALUE, MOST_PARTS = 20 * 10**8, 50  # satoshis of an output, outputs, since RSKIP455
LEAST_FEE = 5_000  # satoshis per 1,000 bytes; when a wallet is emptied, satoshis in all
DUST_FEE = 3 * LEAST_FEE
SPENDING_SIZE = 148  # bytes of an input, as of a key's output
INPUT_SIZE = 36 + 1 + 4  # bytes, with an empty script
SIGNATURE_SIZE = 75  # bytes
SEGWIT_SCRIPT_SIZE = 36  # bytes; its length prefix is not counted


class ReleaseFailure(Enum):
    """Why a transaction cannot be built."""

    INSUFFICIENT_MONEY = "the federation has fewer bitcoins"
    COULD_NOT_ADJUST_DOWNWARDS = "an output would be too small after the fee"
    DUSTY_SEND_REQUESTED = "an output is too small"
    EXCEED_MAX_TRANSACTION_SIZE = "the transaction is larger than Bitcoin nodes relay"


class ReleaseFailed(Exception):
    """A transaction cannot be built, for that reason."""

    def __init__(self, reason: ReleaseFailure) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Release(NamedTuple):
    """An unsigned transaction and the outputs that it spends, in the order of its inputs."""

    transaction: BitcoinTransaction
    spent: tuple[Utxo, ...]

    @property
    def fee(self) -> int:
        paid = sum(output.value for output in self.transaction.outputs)
        return sum(utxo.value for utxo in self.spent) - paid


@dataclass
class ReleaseBuilder:
    """Builds transactions from the outputs of a federation.

    `redeem_script` finds a script by its hash in an output. `change` is the output script for what
    is left. `virtual_size` measures what is built, since RSKIP378. Methods raise `ReleaseFailed`,
    and `PrecompileFailed` where the real node fails.
    """

    utxos: list[Utxo]
    redeem_script: Callable[[bytes], bytes | None]
    change: bytes
    fee_per_kilobyte: int
    version: int = 2
    migration_version: int = 2
    is_segwit: bool = False
    virtual_size: Callable[[BitcoinTransaction], int] | None = None
    _parsed: dict[bytes, RedeemScript] = field(default_factory=dict, repr=False)

    @property
    def balance(self) -> int:
        return sum(utxo.value for utxo in _select(self._candidates(), MAX_MONEY))

    def pay(self, outputs: Sequence[TxOutput], *, receivers_pay: bool = True) -> Release:
        """A transaction with those outputs and change; without `receivers_pay` change pays."""
        if any(output.value > MAX_MONEY for output in outputs):
            raise PrecompileFailed("a peg-out is larger than there are bitcoins")
        if any(_is_dust(output) for output in outputs):
            raise ReleaseFailed(ReleaseFailure.DUSTY_SEND_REQUESTED)
        candidates = sorted(self._candidates(), key=lambda utxo: (utxo.txid, utxo.index))
        value = sum(output.value for output in outputs)
        fee, per_kilobyte = 0, max(self.fee_per_kilobyte, LEAST_FEE)
        while True:
            needed = value if receivers_pay else value + fee
            paid = _reduce(outputs, fee) if receivers_pay else list(outputs)
            spent = _select(candidates, needed)
            change = sum(utxo.value for utxo in spent) - needed
            if change < 0:
                raise ReleaseFailed(ReleaseFailure.INSUFFICIENT_MONEY)
            if change:
                fee += self._add_change(paid, change, receivers_pay=receivers_pay)
            needed_fee = per_kilobyte * self._size(spent, paid) // 1000
            if fee >= needed_fee:
                return self._release(spent, paid)
            fee = needed_fee

    def empty(self, receiver: bytes) -> Release:
        """A transaction that sends everything to an output script."""
        spent = _select(self._candidates(), MAX_MONEY)
        output = TxOutput(sum(utxo.value for utxo in spent), receiver)
        fee = max(self.fee_per_kilobyte * self._size(spent, [output]) // 1000, LEAST_FEE)
        output = replace(output, value=output.value - fee)
        if _is_dust(output):
            raise ReleaseFailed(ReleaseFailure.COULD_NOT_ADJUST_DOWNWARDS)
        return self._release(spent, [output])

    def migrate(self, *, in_parts: bool = False) -> Release:
        """A transaction that sends everything, or as much as fits, to the script for change.

        With `in_parts` it sends all in outputs of 20 bitcoins or more (RSKIP455).
        """
        value, builder = self.balance, replace(self, version=self.migration_version)
        if in_parts:
            return builder.pay([TxOutput(part, self.change) for part in migrated_values(value)])
        while True:
            try:
                return builder.pay([TxOutput(value, self.change)])
            except ReleaseFailed as error:
                if error.reason is ReleaseFailure.DUSTY_SEND_REQUESTED:
                    raise
                value //= 2

    def _candidates(self) -> list[Utxo]:
        # At height 0, where the Bridge has outputs, Java's depth overflows: coinbases are immature.
        return [utxo for utxo in self.utxos if not utxo.is_coinbase]

    def _add_change(self, paid: list[TxOutput], value: int, *, receivers_pay: bool) -> int:
        # Returns what is added to the fee, as it is too little for an output.
        change = TxOutput(value, self.change)
        if not _is_dust(change):
            paid.append(change)
            return 0
        if not receivers_pay:
            return value
        least = _least(change)
        paid[0] = replace(paid[0], value=paid[0].value - (least - value))
        if _is_dust(paid[0]):
            raise ReleaseFailed(ReleaseFailure.COULD_NOT_ADJUST_DOWNWARDS)
        paid.append(replace(change, value=least))
        return 0

    def _size(self, spent: list[Utxo], outputs: list[TxOutput]) -> int:
        # Bytes of the signed transaction, virtual bytes with SegWit (BIP141).
        counts = len(varint(len(spent))) + len(varint(len(outputs)))
        base = 4 + counts + INPUT_SIZE * len(spent) + sum(map(_size_of, outputs)) + 4
        scripts = [self._redeem(utxo) for utxo in spent]
        signing = sum(SIGNATURE_SIZE * each.threshold + len(each.raw) for each in scripts)
        if not self.is_segwit:
            return base + signing
        base += SEGWIT_SCRIPT_SIZE * len(scripts)
        return (base + signing + 3 * base) // 4

    def _release(self, spent: list[Utxo], outputs: list[TxOutput]) -> Release:
        values = [each.value for part in (spent, outputs) for each in part]
        if not all(0 <= value <= MAX_MONEY for value in values):
            raise PrecompileFailed("an amount is negative, or larger than there are bitcoins")
        empty = tuple(TxInput(utxo.txid, utxo.index, b"") for utxo in spent)
        bare = BitcoinTransaction(self.version, empty, tuple(outputs))
        inputs = tuple(
            unsigned_input(each, self._redeem(utxo), is_segwit=self.is_segwit)
            for each, utxo in zip(bare.inputs, spent, strict=True)
        )
        transaction = replace(bare, inputs=inputs)
        # A SegWit transaction is measured without its inputs' scripts.
        is_large = len((bare if self.is_segwit else transaction).serialize()) > MOST_BYTES
        if self.virtual_size:
            is_large |= self.virtual_size(transaction) > MOST_VIRTUAL_BYTES
        if is_large:
            raise ReleaseFailed(ReleaseFailure.EXCEED_MAX_TRANSACTION_SIZE)
        return Release(transaction, tuple(spent))

    def _redeem(self, utxo: Utxo) -> RedeemScript:
        if utxo.script not in self._parsed:
            script_hash = script_hash_of(utxo.script)
            raw = None if script_hash is None else self.redeem_script(script_hash)
            self._parsed[utxo.script] = RedeemScript.parse(raw or b"")
        return self._parsed[utxo.script]


def migrated_values(value: int) -> list[int]:
    """The satoshis of each output of a migration; the last one has the remainder (RSKIP455)."""
    count = min(value // MIGRATED_VALUE, MOST_PARTS)
    if count < 2:
        return [value]
    part = MIGRATED_VALUE if count < MOST_PARTS else value // count
    return [part] * (count - 1) + [value - part * (count - 1)]


def _select(candidates: Iterable[Utxo], value: int) -> list[Utxo]:
    selected, total = [], 0
    for utxo in candidates:
        if total >= value:
            break
        selected.append(utxo)
        total += utxo.value
    return selected


def _reduce(outputs: Sequence[TxOutput], fee: int) -> list[TxOutput]:
    part, remainder = divmod(fee, len(outputs))
    reduced = [
        replace(output, value=output.value - part - (remainder if index == 0 else 0))
        for index, output in enumerate(outputs)
    ]
    if any(_is_dust(output) for output in reduced):
        raise ReleaseFailed(ReleaseFailure.COULD_NOT_ADJUST_DOWNWARDS)
    return reduced


def _size_of(output: TxOutput) -> int:
    return 8 + len(varint(len(output.script))) + len(output.script)


def _least(output: TxOutput) -> int:
    return DUST_FEE * (_size_of(output) + SPENDING_SIZE) // 1000


def _is_dust(output: TxOutput) -> bool:
    return output.value < _least(output)
