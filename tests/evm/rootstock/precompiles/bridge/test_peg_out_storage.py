"""What is written to the Bridge's storage from outside, for example by `hardhat_setStorageAt`."""

from __future__ import annotations

from typing import Any

from eth_abi.abi import encode
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.evm.rootstock.precompiles.bitcoin_script import multisig_script, push
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge import federation, peg_outs, releases, storage
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo, new_slot
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import account, at_block, call, reading_call
from tests.evm.rootstock.precompiles.bridge.peg import FEDERATORS, private_key
from tests.evm.rootstock.precompiles.calling import Machine

KEY = private_key(FEDERATORS[0]).public_key.format()
SCRIPTS = [
    multisig_script(1, [KEY]),
    multisig_script(2, [KEY, b"\2" * 33]),
    b"\1\0" + multisig_script(1, [KEY])[1:],
    b"\x51",
]
STACKS = [
    script if script is None else b"".join(map(push, [b"", *slots, script]))
    for script in SCRIPTS
    for slots in ([b""], [b"", b""], [b"\x30\6\2\1\1\2\1\1\1"], [b"\1"])
]
inputs = st.builds(
    TxInput,
    st.just(bytes(32)),
    st.integers(0, 3),
    st.sampled_from([*STACKS, b"", b"\5"]),
    witness=st.sampled_from([(), (b"", b"", b"", SCRIPTS[0]), (b"\1",)]),
)
transactions = st.builds(
    lambda spent: BitcoinTransaction(1, tuple(spent), (TxOutput(1, b""),)).serialize(),
    st.lists(inputs, max_size=3),
)
numbers = st.sampled_from([b"", b"\5", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\xff" * 40])
hashes = st.sampled_from([bytes(32), bytes(31) + b"\1", bytes(20), b"", bytes(40)])
SCRIPT = federation.active(reading_call(Machine())).output_script
utxos = st.builds(
    lambda *fields: Utxo(*fields).serialize(),
    st.just(bytes(32)),
    st.integers(0, 3),
    st.sampled_from([0, 1, 10**8, -1, -(2**63), 2**63 - 1]),
    st.sampled_from([SCRIPT, b"", b"\x76"]),
    st.booleans(),
)


def lists(*items: st.SearchStrategy[bytes]) -> st.SearchStrategy[Any]:
    """Lists of groups of such items, sometimes of another length."""
    groups = st.lists(st.tuples(*items), max_size=3)
    flat = groups.map(lambda each: [item for group in each for item in group])
    return st.one_of(flat, flat.map(lambda each: each[:-1]), hashes)


def slots(machine: Machine) -> dict[int, st.SearchStrategy[Any]]:
    """What each slot of a peg-out may hold."""
    return {
        peg_outs.QUEUE: lists(st.just(bytes(20)), numbers),
        peg_outs.QUEUE_WITH_HASHES: lists(st.just(bytes(20)), numbers, hashes),
        peg_outs.NEXT_HEIGHT: numbers,
        releases.WAITING: lists(transactions, numbers),
        releases.WAITING_WITH_HASHES: lists(transactions, numbers, hashes),
        releases.FOR_SIGNATURES: lists(hashes, transactions),
        new_slot(reading_call(machine)): lists(utxos),
    }


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(["papyrus", "iris", "vetiver"]))
def test_any_values(data: st.DataObject, upgrade: str) -> None:
    """Whatever the slots hold, methods answer or fail as contracts do."""
    machine = Machine(upgrade)
    at_block(machine, 1_000)
    for slot, items in slots(machine).items():
        if data.draw(st.booleans()):
            storage.store_rlp(reading_call(machine), slot, data.draw(items))
    signature = private_key(FEDERATORS[0]).sign(bytes(32), hasher=None)
    count = data.draw(st.integers(1, 3))
    signed = encode(["bytes", "bytes[]", "bytes"], [KEY, [signature] * count, bytes(32)])
    for method, arguments in (
        ("getStateForBtcReleaseClient()", b""),
        ("getStateForDebugging()", b""),
        ("getNextPegoutCreationBlockNumber()", b""),
        ("getQueuedPegoutsCount()", b""),
        ("getEstimatedFeesForNextPegOutEvent()", b""),
        ("getEstimatedFeesForPegOutAmount(uint256)", word(10**18)),
        ("addSignature(bytes,bytes[],bytes)", signed),
        ("updateCollections()", b""),
        ("updateCollections()", b""),
        ("addSignature(bytes,bytes[],bytes)", signed),
    ):
        call(machine, method, arguments, sender=account(FEDERATORS[0]))
