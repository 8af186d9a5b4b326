"""`devchain.evm.rootstock.precompiles.bridge.storage`"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from devchain.evm.rootstock.precompiles.bridge import (
    BRIDGE,
    elections,
    peg_outs,
    releases,
    settings,
    storage,
    union,
    utxos,
)
from devchain.evm.rootstock.precompiles.native_contract import (
    PrecompileFailed,
    PrecompileUnsupported,
)
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.evm.rootstock.precompiles.bridge.calls import VALID_ADDRESS, account, arguments, call
from tests.evm.rootstock.precompiles.calling import CALLER, Machine

SLOT = storage.slot_of("name")


@pytest.fixture
def context() -> Any:
    """What storage needs of a call: a state."""
    return SimpleNamespace(state=Machine().state, upstream=None)


def test_slots() -> None:
    """The slot of a name is its letters as a number; union bridge's are hashed, as in rskj."""
    assert storage.slot_of("feePerKb") == 0x6665655065724B62
    assert storage.hashed_slot_of("superEvent") >> 240


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 64, 65, 1000])
def test_round_trip(context: Any, size: int) -> None:
    """Byte strings of any length are read as they were stored, with zeros at both ends."""
    value = (b"\0" + bytes(range(256)) * 4)[:size]

    storage.store(context, SLOT, value)

    assert storage.load(context, SLOT) == value


def test_shorter_value(context: Any) -> None:
    """A shorter value leaves nothing behind: the state is as if the longer one never was."""
    other = SimpleNamespace(state=Machine().state, upstream=None)
    for value in (b"x" * 100, b"y" * 40, b"z"):
        storage.store(context, SLOT, value)
    storage.store(other, SLOT, b"z")
    storage.store(context, SLOT, b"")
    storage.store(other, SLOT, b"")

    context.state.persist()
    other.state.persist()
    assert context.state.state_root == other.state.state_root


@pytest.mark.parametrize("head", [2**256 - 1, 2 * 31 + 1, 64], ids=["endless", "short", "long"])
def test_edited_slot(context: Any, head: int) -> None:
    """A slot that no value was stored in reads as empty, if it does not follow the layout."""
    context.state.set_storage(storage.ADDRESS, SLOT, head)

    assert storage.load(context, SLOT) == b""


def test_edited_value(context: Any) -> None:
    """A value that is not RLP fails the call."""
    storage.store(context, SLOT, b"\xb9")

    with pytest.raises(PrecompileFailed, match="is malformed"):
        storage.load_rlp(context, SLOT)


def test_too_large(context: Any) -> None:
    """A value has up to a mebibyte."""
    with pytest.raises(PrecompileUnsupported, match="stores up to 1048576 bytes"):
        storage.store(context, SLOT, bytes(2**20 + 1))


@pytest.mark.parametrize(
    ("number", "encoded"),
    [(0, ""), (1, "01"), (0x80, "80"), (0xFFFF, "ffff"), (-1, "ff"), (-129, "ff7f")],
)
def test_numbers(number: int, encoded: str) -> None:
    """Numbers have no leading zeros; negative ones are cut to two's complement."""
    assert storage.number_bytes(number).hex() == encoded


def test_stored_number(context: Any) -> None:
    """A number is stored as RLP; one that is not stored is None."""
    assert storage.load_number(context, SLOT) is None

    storage.store_number(context, SLOT, 0)

    assert storage.load_number(context, SLOT) == 0
    assert storage.load(context, SLOT) == b"\x80"


SLOTS = (
    settings.FEE_PER_KILOBYTE,
    elections.FEE_VOTES,
    settings.LOCKING_CAP,
    settings.WHITELIST,
    settings.UNLIMITED_WHITELIST,
    peg_outs.QUEUE,
    peg_outs.QUEUE_WITH_HASHES,
    peg_outs.NEXT_HEIGHT,
    releases.WAITING,
    releases.WAITING_WITH_HASHES,
    releases.FOR_SIGNATURES,
    utxos.OLD,
    storage.slot_of("newFederationBtcUTXOs"),
    union.CONTRACT,
    union.LOCKING_CAP,
    union.BORROWED,
    union.REQUEST_ENABLED,
)


@pytest.mark.parametrize(
    "item",
    [b"", b"x", [], [b"1"], [[b"1"]], [[], [[]]], [[b"1", [[]]], b"22"], [b"1"] * 3, [b"ab", b"x"]],
    ids=str,
)
def test_edited_values(item: Any) -> None:
    """Whatever is written to the slots, methods answer or fail as contracts do."""
    machine = Machine()
    edited: Any = SimpleNamespace(state=machine.state, upstream=None)
    authorizers = powpeg_of(33).authorizers
    methods = [each for each in BRIDGE.methods if each.is_enabled("vetiver")]

    voters = (authorizers.fee_per_kilobyte, authorizers.whitelist)
    for sender in (CALLER, account("federator1"), *map(min, voters)):
        for method in methods:
            for slot in SLOTS:
                storage.store_rlp(edited, slot, item)
            data = arguments(*(VALID_ADDRESS if kind == "string" else 1 for kind in method.inputs))
            call(machine, method.signature, data, sender=sender)
