"""The unspent outputs that a federation owns, as the Bridge stores them.

The storage has two lists: of the newest federation, and of the one before it, whose outputs migrate
to the newest. Each item is serialized as bitcoinj's `UTXO`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devchain.evm.rootstock.precompiles.bitcoin import HASH
from devchain.evm.rootstock.precompiles.bridge import federation, storage
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed

OLD = storage.slot_of("oldFederationBtcUTXOs")

_NEW = storage.slot_of("newFederationBtcUTXOs")
_NEW_ON_TESTNET = storage.slot_of("newFedBtcUTXOsForTestnetPostHop")
_HEIGHT = bytes(4)  # which the Bridge does not know
_AFTER_SCRIPT = HASH + 4 + 4 + 1  # bytes: hash, index, height, whether it is a coinbase's


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
        end = 12 + int.from_bytes(raw[8:12], "little")
        script, rest = raw[12:end], raw[end:]
        if len(rest) != _AFTER_SCRIPT:
            raise PrecompileFailed("an output in the bridge's storage is malformed")
        value = int.from_bytes(raw[:8], "little", signed=True)
        index = int.from_bytes(rest[HASH : HASH + 4], "little")
        return cls(rest[:HASH], index, value, script, rest[-1] == 1)


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
