"""The unspent outputs that a federation owns, as the Bridge stores them.

The storage has two lists: of the newest federation, and of the one before it, whose outputs migrate
to the newest. Each item is serialized as bitcoinj's `UTXO`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devchain.evm.rootstock.precompiles.bitcoin import HASH, Reader
from devchain.evm.rootstock.precompiles.bridge import federation, storage
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of
from devchain.evm.rootstock.precompiles.native_contract import Call

OLD = storage.slot_of("oldFederationBtcUTXOs")

_NEW = storage.slot_of("newFederationBtcUTXOs")
_NEW_ON_TESTNET = storage.slot_of("newFedBtcUTXOsForTestnetPostHop")
_HEIGHT = bytes(4)  # which the Bridge does not know


@dataclass(frozen=True, slots=True)
class Utxo:
    """An unspent output: its transaction's hash as Bitcoin displays it, its value in satoshis."""

    txid: bytes
    index: int
    value: int
    script: bytes
    is_coinbase: bool = False

    def serialize(self) -> bytes:
        parts = [self.value.to_bytes(8, "little", signed=True)]
        parts += [len(self.script).to_bytes(4, "little"), self.script, self.txid]
        parts += [self.index.to_bytes(4, "little"), _HEIGHT, bytes([self.is_coinbase])]
        return b"".join(parts)

    @classmethod
    def parse(cls, raw: bytes) -> Utxo:
        reader = Reader(raw)
        value, script = reader.number(8, signed=True), reader.take(reader.number(4))
        txid, index, _ = reader.take(HASH), reader.number(4), reader.take(len(_HEIGHT))
        return cls(txid, index, value, script, reader.take(1) == b"\1")


def new_slot(call: Call) -> int:
    # Testnet began anew with Hop (RSKIP284, RSKIP293).
    return _NEW_ON_TESTNET if peg_of(call).is_test and call.since("fingerroot") else _NEW


def active_slot(call: Call) -> int:
    return OLD if federation.awaits_activation(call) else new_slot(call)


def live_slots(call: Call) -> list[tuple[int, federation.Federation]]:
    """The live federations, the active one first, each with the slot of its outputs."""
    return list(zip((active_slot(call), OLD), federation.live(call), strict=False))


def load_utxos(call: Call, slot: int) -> list[Utxo]:
    return [Utxo.parse(storage.to_bytes(item)) for (item,) in storage.load_items(call, slot, 1)[0]]


def store_utxos(call: Call, slot: int, utxos: Sequence[Utxo]) -> None:
    storage.store_rlp(call, slot, [utxo.serialize() for utxo in utxos])
