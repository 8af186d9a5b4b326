"""`devchain.evm.rootstock.precompiles.bridge.utxos`"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from devchain.evm.rootstock.precompiles.bridge import storage, utxos
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from tests.evm.rootstock.precompiles.calling import Machine

OUTPUT = Utxo(bytes(range(32)), 7, 5 * 10**8, b"\xa9\x14" + b"\x22" * 20 + b"\x87", True)


def context(machine: Machine) -> Any:
    """What storage needs of a call."""
    since = lambda upgrade: machine.upgrade != "iris" or upgrade == "iris"  # noqa: E731
    return SimpleNamespace(state=machine.state, upstream=None, since=since)


def test_serialization() -> None:
    """Numbers are little endian, the hash is in the order that Bitcoin displays (bitcoinj UTXO)."""
    raw = OUTPUT.serialize()

    assert raw.hex() == (
        "0065cd1d00000000" + "17000000" + OUTPUT.script.hex() + OUTPUT.txid.hex()
        + "07000000" + "00000000" + "01"
    )  # fmt: skip
    assert Utxo.parse(raw) == OUTPUT


@pytest.mark.parametrize("cut", [0, 11, 30, 60])
def test_malformed(cut: int) -> None:
    """An item of another length, which only an edited slot has, fails the call."""
    with pytest.raises(PrecompileFailed, match="cut off"):
        Utxo.parse(OUTPUT.serialize()[:cut])


@pytest.mark.parametrize(
    ("chain_id", "upgrade", "name"),
    [
        (30, "vetiver", "newFederationBtcUTXOs"),
        (31, "iris", "newFederationBtcUTXOs"),
        (31, "fingerroot", "newFedBtcUTXOsForTestnetPostHop"),
        (33, "fingerroot", "newFederationBtcUTXOs"),
    ],
)
def test_slot(chain_id: int, upgrade: str, name: str) -> None:
    """Testnet has another list since Hop (FederationStorageProviderImpl)."""
    call = context(Machine(upgrade, chain_id=chain_id))
    utxos.store_utxos(call, utxos.new_slot(call), [OUTPUT, OUTPUT])

    assert utxos.new_slot(call) == storage.slot_of(name)
    assert utxos.load_utxos(call, utxos.new_slot(call)) == [OUTPUT, OUTPUT]
