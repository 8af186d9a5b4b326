"""`devchain.evm.rootstock.precompiles.bridge.federation`"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest
import rlp

from devchain.evm.rootstock.precompiles.bridge import BRIDGE, elections, federation, migration
from devchain.evm.rootstock.precompiles.bridge.federation import (
    Federation,
    FederationMember,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.bridge.storage import load, load_rlp, store, store_rlp
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    at_block,
    call,
    number,
    reading_call,
)
from tests.evm.rootstock.precompiles.bridge.test_elections import public_key
from tests.evm.rootstock.precompiles.calling import Machine, dynamic, unpack

MAIN, TEST, LOCAL = Machine(chain_id=30), Machine(chain_id=31), Machine()
TYPED_KEY = "getFederatorPublicKeyOfType(int256,string)"


EDITED: list[Any] = [b"", b"x", b"\1" * 40, [], [b"1"], [[]], [b"", b"", [b"k" * 33]]]
EDITED += [[b"", b"", b"m"]]
EDITED += [[b"", b"\1", [rlp.encode([b"k" * 33] * 3)] * 2], [[b"k" * 33] * 3], [[b"v", []], [b"a"]]]
NAMES = re.compile("Feder|Svp|update|addSig|Powpeg")
SLOTS = [
    *(*federation.NEW, *federation.OLD, *federation.PROPOSED, federation.NEXT_CREATION_BLOCK),
    *(federation.ACTIVE_CREATION_BLOCK, federation.LAST_RETIRED_SCRIPT),
    *(elections.PENDING, elections.PENDING_FORMAT, elections.VOTES),
    *(migration.FUND_HASH, migration.FUND_SIGNED, migration.SPEND_HASH),
    migration.SPEND_FOR_SIGNATURES,
]


@pytest.mark.parametrize("upgrade", ["orchid", "fingerroot", "vetiver"])
@pytest.mark.parametrize("item", EDITED, ids=repr)
def test_edited_values(item: Any, upgrade: str) -> None:
    """Values that only a caller can have written are refused by methods, or read as something."""
    for slot in SLOTS:
        machine = Machine(upgrade)
        at_block(machine, 200)
        for place in (federation.NEW.federation, federation.OLD.federation):
            store_rlp(reading_call(machine), place, [b"\1", b"\1", [b"\2" + b"k" * 32]])
        store_rlp(reading_call(machine), slot, item)
        for method in BRIDGE.methods:
            if method.is_enabled(upgrade) and NAMES.search(method.name):
                outcome = call(
                    machine,
                    method.signature,
                    word(0) * (len(method.inputs) + 2),
                    sender=account("auth-a"),
                )
                assert outcome.error is None or isinstance(outcome.error, PrecompileFailed)


class TestFederation:
    @pytest.mark.parametrize(
        ("machine", "address", "size", "threshold", "created"),
        [
            (MAIN, "39AHNvUmzaYgewA8yCtBtNsfRz7QD7ZJYi", 15, 8, 1_514_948),
            (TEST, "2N1N5mdHWmRUfv49f7GnUeFfuyLcBQK7hj2", 4, 3, 1_538_967),
            (LOCAL, "2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p", 3, 2, 1_451_606_400),
        ],
        ids=["main", "test", "local"],
    )
    def test_genesis(
        self, machine: Machine, address: str, size: int, threshold: int, created: int
    ) -> None:
        """Methods return the genesis federation of the network."""
        outcome = call(machine, "getFederationAddress()")

        assert unpack(outcome.output).decode() == address
        assert outcome.gas == 11_000 + 2 * 4
        assert number(call(machine, "getFederationSize()")) == size
        assert number(call(machine, "getFederationThreshold()")) == threshold
        assert number(call(machine, "getFederationCreationTime()")) == created
        assert number(call(machine, "getFederationCreationBlockNumber()")) == 1

    def test_redeem_script(self) -> None:
        """The redeem script hashes to mainnet's federation address, as in rskj's tests."""
        script = unpack(call(MAIN, "getActivePowpegRedeemScript()").output)
        hashed = hashlib.new("ripemd160", hashlib.sha256(script).digest()).hexdigest()

        assert hashed == "51f103320b435b5fe417b3f3e0f18972ccc710a0"

    def test_keys(self) -> None:
        """Federators are sorted by key, and have the same key for the three types."""
        first = "02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1"

        for kind in (b"btc", b"rsk", b"mst"):
            outcome = call(LOCAL, TYPED_KEY, word(0) + word(64) + dynamic(kind)[32:])

            assert unpack(outcome.output).hex() == first

    def test_bad_keys(self) -> None:
        """Unknown indices and key types fail."""
        beyond = call(LOCAL, TYPED_KEY, word(3) + word(64) + dynamic(b"btc")[32:])
        unknown = call(LOCAL, TYPED_KEY, word(0) + word(64) + dynamic(b"eth")[32:])

        assert str(beyond.error) == "the federator index has to be between 0 and 2"
        assert str(unknown.error) == "a federator's key is of type btc, rsk or mst, not 'eth'"

    def test_milliseconds(self) -> None:
        """Before Lovell the creation time is in milliseconds."""
        created = call(Machine("arrowhead"), "getFederationCreationTime()")

        assert number(created) == 1_451_606_400_000

    @pytest.mark.parametrize("kind", ["Pending", "Retiring", "Proposed"])
    def test_others(self, kind: str) -> None:
        """There is no pending, retiring or proposed federation."""
        signature = f"get{kind}FederatorPublicKeyOfType(int256,string)"
        key = call(LOCAL, signature, word(0) + word(64) + dynamic(b"rsk")[32:])

        assert number(call(LOCAL, f"get{kind}FederationSize()")) == -1
        assert unpack(key.output) == b""


KEYS = [public_key(number) for number in range(100, 700, 100)]


class TestStored:
    """The serialization of rskj's BridgeSerializationUtilsTest: keys 100 to 600, block 42."""

    def stored(self, upgrade: str, kind: Format = Format.STANDARD) -> tuple[Call, Federation]:
        """A call on a chain that has stored the federation, and the federation."""
        reading = reading_call(Machine(upgrade))
        members = [FederationMember(key, key, key) for key in KEYS]
        built = build_federation(reading, members, 0xABCDEF, 42, kind)
        federation.store_federation(reading, federation.NEW, built)
        return reading, built

    def test_before_wasabi(self) -> None:
        """Creation time, block number and the keys for Bitcoin."""
        reading, _ = self.stored("orchid")
        keys = b"".join(b"\xa1" + key for key in sorted(KEYS))

        assert (
            load(reading, federation.NEW.federation) == bytes.fromhex("f8d383abcdef2af8cc") + keys
        )
        assert load(reading, federation.NEW.format) == b""

    @pytest.mark.parametrize("kind", list(Format))
    def test_formats(self, kind: Format) -> None:
        """Since Wasabi members are byte strings of three keys, and the format has its own slot."""
        reading, built = self.stored("fingerroot", kind)
        members = load_rlp(reading, federation.NEW.federation)[2]

        assert members == [rlp.encode([key] * 3) for key in sorted(KEYS)]
        assert load_rlp(reading, federation.NEW.format) == int(kind).to_bytes(2)
        assert federation.active(reading) == built

    def test_read_back(self) -> None:
        """A number may begin with a zero byte."""
        reading = reading_call(Machine("orchid"))
        store_rlp(reading, federation.NEW.federation, [b"\x13\x88", b"\0\x2a", KEYS])
        active = federation.active(reading)

        assert (active.created, active.block_number, active.threshold) == (5_000, 42, 4)
        assert active.keys == sorted(KEYS)

    def test_proposed_without_format(self) -> None:
        """A federation from before there were formats cannot be proposed."""
        machine = Machine()
        reading = reading_call(machine)
        proposed = federation.active(reading)
        federation.store_federation(reading, federation.PROPOSED, proposed)
        assert federation.proposed(reading) == proposed
        store(reading, federation.PROPOSED.format, b"")

        with pytest.raises(PrecompileFailed, match="malformed"):
            federation.proposed(reading)

    def test_wrong_size(self) -> None:
        """A list of four items is no federation."""
        reading = reading_call(Machine("orchid"))
        store_rlp(reading, federation.NEW.federation, [b"\x13\x88", b"\3", b"\3", b"\xaa\xbb"])

        with pytest.raises(PrecompileFailed, match="in the bridge's storage is malformed"):
            federation.active(reading)
