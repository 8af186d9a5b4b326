"""What the Bridge stores, byte by byte, and from which upgrade on.

Values are those of rskj's BridgeSerializationUtilsTest, BridgeStorageProviderTest, UtxoUtilsTest,
PegoutsWaitingForConfirmationsTest, ReleaseRequestQueueTest, LockWhitelistTest and the tests of
other classes that store (WhitelistStorageProviderImplTest, LockingCapStorageProviderImplTest,
FeePerKbStorageProviderImplTest, FederationStorageProviderImplTests).
"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from coincurve import PrivateKey

from devchain.evm.rootstock.precompiles.bitcoin import (
    base58check,
    double_sha256,
    hash160,
)
from devchain.evm.rootstock.precompiles.bitcoin_script import pay_to_key
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
    varint,
)
from devchain.evm.rootstock.precompiles.bridge import (
    bitcoin_chain,
    elections,
    federation,
    migration,
    peg_ins,
    peg_outs,
    releases,
    settings,
    utxos,
)
from devchain.evm.rootstock.precompiles.bridge.storage import (
    hashed_slot_of,
    load,
    slot_of,
    store_rlp,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FROM_SEGWIT_KEY,
    BitcoinBlocks,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    arguments,
    at_block,
    call,
    child,
    number,
    reading_call,
)
from tests.evm.rootstock.precompiles.bridge.peg import parse_values
from tests.evm.rootstock.precompiles.bridge.test_elections import CREATE, VOTERS, vote
from tests.evm.rootstock.precompiles.bridge.test_peg_ins import PAID
from tests.evm.rootstock.precompiles.bridge.test_settings import (
    ADD,
    ADD_UNLIMITED,
    DISABLE,
    ENTRY,
    INCREASE_CAP,
    KEEPER,
    RAISER,
    VOTE_FEE,
)
from tests.evm.rootstock.precompiles.calling import Machine, dynamic, unpack

FEDERATOR = account("federator1")
FEE_VOTER = account("auth-fee-per-kb")


def stored(machine: Machine, slot: int) -> str:
    """What a slot has, in hex digits."""
    return load(reading_call(machine), slot).hex()


def update(machine: Machine) -> None:
    """Call `updateCollections`, which stores most of the values anew."""
    outcome = call(machine, "updateCollections()", sender=FEDERATOR)
    assert outcome.error is None, outcome.error


@pytest.mark.parametrize(
    ("slot", "name"),
    [
        (utxos.new_slot(reading_call(Machine())), "newFederationBtcUTXOs"),
        (utxos.new_slot(reading_call(Machine("iris", 31))), "newFederationBtcUTXOs"),
        (utxos.new_slot(reading_call(Machine(chain_id=31))), "newFedBtcUTXOsForTestnetPostHop"),
        (utxos.OLD, "oldFederationBtcUTXOs"),
        (federation.NEW.federation, "newFederation"),
        (federation.OLD.federation, "oldFederation"),
        (federation.PROPOSED.federation, "proposedFederation"),
        (federation.NEW.format, "newFederationFormatVersion"),
        (federation.OLD.format, "oldFederationFormatVersion"),
        (federation.PROPOSED.format, "proposedFederationFormatVersion"),
        (federation.ACTIVE_CREATION_BLOCK, "activeFedCreationBlockHeight"),
        (federation.NEXT_CREATION_BLOCK, "nextFedCreationBlockHeight"),
        (federation.LAST_RETIRED_SCRIPT, "lastRetiredFedP2SHScript"),
        (elections.PENDING, "pendingFederation"),
        (elections.PENDING_FORMAT, "pendingFederationFormatVersion"),
        (elections.VOTES, "federationElection"),
        (elections.FEE_VOTES, "feePerKbElection"),
        (settings.FEE_PER_KILOBYTE, "feePerKb"),
        (settings.LOCKING_CAP, "lockingCap"),
        (settings.WHITELIST, "lockWhitelist"),
        (settings.UNLIMITED_WHITELIST, "unlimitedLockWhitelist"),
        (peg_ins.PROCESSED, "btcTxHashesAP"),
        (peg_outs.QUEUE, "releaseRequestQueue"),
        (peg_outs.QUEUE_WITH_HASHES, "releaseRequestQueueWithTxHash"),
        (peg_outs.NEXT_HEIGHT, "nextPegoutHeight"),
        (releases.WAITING, "releaseTransactionSet"),
        (releases.WAITING_WITH_HASHES, "releaseTransactionSetWithTxHash"),
        (releases.FOR_SIGNATURES, "rskTxsWaitingFS"),
        (bitcoin_chain.RECEIVED, "receiveHeadersLastTimestamp"),
        (migration.FUND_HASH, "svpFundTxHashUnsigned"),
        (migration.FUND_SIGNED, "svpFundTxSigned"),
        (migration.SPEND_HASH, "svpSpendTxHashUnsigned"),
        (migration.SPEND_FOR_SIGNATURES, "svpSpendTxWaitingForSignatures"),
    ],
)
def test_names(slot: int, name: str) -> None:
    """Slots have the names of rskj's BridgeStorageIndexKey and of other keys, up to 32 letters."""
    assert slot == slot_of(name)
    assert len(name) <= 32


class TestVotes:
    def test_order(self) -> None:
        """Votes are sorted by what they are for, and voters by their addresses."""
        machine = Machine()
        voters = {
            name: bytes.fromhex(name).ljust(20, b"\1")
            for name in ("8899", "aabb", "ccdd", "eeff", "0011", "fa", "ca")
        }
        items = [
            [b"one-function", []],
            [voters["8899"], voters["aabb"]],
            [b"another-function", [b"\1", b"\2\3"]],
            [voters["ccdd"], voters["eeff"], voters["0011"]],
            [b"yet-another-function", [b"\4\5"]],
            [voters["fa"], voters["ca"]],
        ]
        store_rlp(reading_call(machine), elections.VOTES, items)
        assert vote(machine, CREATE, voters=1) == [1]

        one, first, another, second, yet, third = items
        expected = [another, sorted(second), [b"create", []], VOTERS[:1], one, first]
        expected += [yet, sorted(third)]
        assert stored(machine, elections.VOTES) == rlp.encode(expected).hex()

    @pytest.mark.parametrize(
        "items",
        [[b"\1\2\3"], [[b"\1\2\3"], [b"\3"]], [[b"name", b"no list"], [b"\3"]]],
        ids=["odd", "no arguments", "arguments"],
    )
    def test_malformed(self, items: list[Any]) -> None:
        """An odd number of items, or what is no call, fails."""
        machine = Machine()
        store_rlp(reading_call(machine), elections.VOTES, items)
        outcome = call(machine, CREATE, sender=VOTERS[0])

        assert isinstance(outcome.error, PrecompileFailed)

    @pytest.mark.parametrize("upgrade", ["orchid", "papyrus", "vetiver"])
    def test_pending(self, upgrade: str) -> None:
        """A pending federation has its format since Wasabi (RSKIP123)."""
        machine = Machine(upgrade)
        vote(machine, CREATE)

        assert stored(machine, elections.PENDING) == "c0"
        assert stored(machine, elections.PENDING_FORMAT) == "" if upgrade == "orchid" else "8203e8"


class TestWhitelist:
    KEYS = tuple(
        hash160(PrivateKey.from_int(secret).public_key.format())
        for secret in (100, 200, 300, 400, 500, 600)
    )

    def address(self, key_hash: bytes) -> bytes:
        """The address of a key on a test network."""
        return base58check(b"\x6f" + key_hash).encode()

    def test_limited(self) -> None:
        """Hashes are sorted, each with its most satoshis; the height that disables is last."""
        machine = Machine()
        for key_hash in self.KEYS:
            data = arguments(self.address(key_hash), 1_000_000)
            assert number(call(machine, ADD, data, sender=KEEPER)) == 1

        entries = "".join(f"94{key_hash.hex()}830f4240" for key_hash in sorted(self.KEYS))
        assert stored(machine, settings.WHITELIST) == f"f89b{entries}847fffffff"
        assert stored(machine, settings.UNLIMITED_WHITELIST) == "c0"
        assert number(call(machine, DISABLE, word(42), sender=KEEPER)) == 1
        assert stored(machine, settings.WHITELIST) == f"f897{entries}2a"

    def test_unlimited(self) -> None:
        """Addresses without a limit are in a list of their own."""
        machine = Machine()
        for key_hash in self.KEYS:
            data = dynamic(self.address(key_hash))
            assert number(call(machine, ADD_UNLIMITED, data, sender=KEEPER)) == 1

        entries = "".join(f"94{key_hash.hex()}" for key_hash in sorted(self.KEYS))
        assert stored(machine, settings.UNLIMITED_WHITELIST) == f"f87e{entries}"
        assert stored(machine, settings.WHITELIST) == "c5847fffffff"

    def test_read(self) -> None:
        """Numbers may begin with zero bytes."""
        machine = Machine()
        items = [part for key in self.KEYS[:4] for part in (key, b"\x01\x86\xa0")] + [b"\0\x2a"]
        store_rlp(reading_call(machine), settings.WHITELIST, items)

        assert number(call(machine, "getLockWhitelistSize()")) == 4
        for key in self.KEYS:
            most = 100_000 if key in self.KEYS[:4] else -1
            assert number(call(machine, ENTRY, dynamic(self.address(key)))) == most
        assert number(call(machine, DISABLE, word(1), sender=KEEPER)) == -1  # height 42 is set


class TestPegOuts:
    REQUESTS = (
        (bytes.fromhex("ccdd").ljust(20, b"\0"), 10),
        (bytes.fromhex("bb").ljust(20, b"\0"), 50),
        (bytes.fromhex("bb").ljust(20, b"\0"), 20),
        (bytes.fromhex("aa").ljust(20, b"\0"), 30),
    )
    TRANSACTIONS = tuple(
        BitcoinTransaction(
            1,
            (TxInput(bytes([10 - at]) * 32, 0, b""),),
            (TxOutput(value, pay_to_key(bytes(20))),),
        )
        for at, value in enumerate((10**8, 10**9, 15, 10**5))
    )

    @pytest.mark.parametrize("upgrade", ["orchid", "wasabi", "papyrus", "vetiver"])
    def test_queue(self, upgrade: str) -> None:
        """Requests keep their order; those from before Papyrus have no hash (RSKIP146)."""
        machine = Machine(upgrade)
        reading = reading_call(machine)
        without = [item for key, value in self.REQUESTS for item in (key, bytes([value]))]
        with_hashes = [b"\1" * 20, b"\7", b"\2" * 32]
        store_rlp(reading, peg_outs.QUEUE, without)
        store_rlp(reading, peg_outs.QUEUE_WITH_HASHES, with_hashes)
        has_hashes = upgrade in {"papyrus", "vetiver"}
        queue = peg_outs.load_queue(reading)
        if has_hashes:
            assert [request.rsk_hash for request in queue] == [None] * 4 + [b"\2" * 32]
        assert [request[:2] for request in queue[:4]] == list(self.REQUESTS)
        assert len(queue) == 4 + has_hashes
        update(machine)  # without money all requests are left

        assert stored(machine, peg_outs.QUEUE) == rlp.encode(without).hex()
        assert stored(machine, peg_outs.QUEUE_WITH_HASHES) == rlp.encode(with_hashes).hex()
        if upgrade == "vetiver":
            assert number(call(machine, "getQueuedPegoutsCount()")) == 5

    @pytest.mark.parametrize(
        ("slot", "count"), [(peg_outs.QUEUE, 3), (peg_outs.QUEUE_WITH_HASHES, 4)]
    )
    def test_odd(self, slot: int, count: int) -> None:
        """A list of another length fails."""
        machine = Machine()
        store_rlp(reading_call(machine), slot, [b"\1" * 20] * count)
        outcome = call(machine, "getQueuedPegoutsCount()")

        assert "malformed" in str(outcome.error)

    @pytest.mark.parametrize("upgrade", ["orchid", "papyrus", "vetiver", "next"])
    def test_waiting(self, upgrade: str) -> None:
        """Transactions that wait for confirmations are sorted as they are serialized."""
        machine = Machine(upgrade)
        raws = [transaction.serialize() for transaction in self.TRANSACTIONS]
        numbers = [b"\x20", b"\x0e", b"\x66", b"\x14"]
        slot, parts = releases.WAITING, (raws, numbers)
        if upgrade != "orchid":
            slot = releases.WAITING_WITH_HASHES
            parts = (*parts, [bytes([at]) * 32 for at in range(4)])
        groups = list(zip(*parts, strict=True))
        flat = [item for group in groups for item in group]
        store_rlp(reading_call(machine), slot, flat)
        update(machine)

        ordered = [item for group in sorted(groups) for item in group]
        assert ordered != flat
        assert stored(machine, slot) == rlp.encode(ordered).hex()

    @pytest.mark.parametrize("upgrade", ["orchid", "papyrus", "vetiver"])
    def test_for_signatures(self, upgrade: str) -> None:
        """Transactions that wait for signatures are sorted by hash, compared from its end."""
        machine = Machine(upgrade)
        hashes = [bytes([at]) + bytes(30) + bytes([9 - at]) for at in range(4)]
        raws = [transaction.serialize() for transaction in self.TRANSACTIONS]
        items = [item for pair in zip(hashes, raws, strict=True) for item in pair]
        store_rlp(reading_call(machine), releases.FOR_SIGNATURES, items)
        update(machine)
        ordered = [item for pair in reversed(list(zip(hashes, raws, strict=True))) for item in pair]

        assert stored(machine, releases.FOR_SIGNATURES) == rlp.encode(ordered).hex()
        state = unpack(call(machine, "getStateForBtcReleaseClient()").output)
        assert state == rlp.encode([ordered])

    @pytest.mark.parametrize(
        ("upgrade", "encoded"), [("iris", ""), ("fingerroot", "37"), ("vetiver", "37")]
    )
    def test_next_height(self, upgrade: str, encoded: str) -> None:
        """The next block in which requests are paid is stored since Hop: 50 after the fifth."""
        machine = Machine(upgrade)
        at_block(machine, 5)
        update(machine)

        assert stored(machine, peg_outs.NEXT_HEIGHT) == encoded
        if encoded:
            assert number(call(machine, "getNextPegoutCreationBlockNumber()")) == 55

    @pytest.mark.parametrize(
        ("values", "encoded"),
        [
            ([], ""),
            ([0], "00"),
            ([1], "01"),
            ([1] * 10, "01010101010101010101"),
            ([252], "fc"),
            ([252, 252, 187, 187, 187, 13_337, 14_435_729], "fcfcbbbbbbfd1934fe9145dc00"),
            ([21 * 10**14], "ff0040075af0750700"),
            ([21 * 10**14] * 3, "ff0040075af0750700" * 3),
            ([21 * 10**14 + 1], "ff0140075af0750700"),
            ([2**63 - 1], "ffffffffffffffff7f"),
            (
                [252, 252, 187, 187, 187, 13_337, 14_435_729] * 1000,
                "fcfcbbbbbbfd1934fe9145dc00" * 1000,
            ),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_spent_values(self, values: list[int], encoded: str) -> None:
        """Values that a transaction spends are numbers of variable length."""
        assert b"".join(map(varint, values)).hex() == encoded
        assert parse_values(bytes.fromhex(encoded)) == values

    @pytest.mark.parametrize("raw", ["fc9145dc00faff00fe", "fb8267dc00fcff00fe"])
    def test_malformed_values(self, raw: str) -> None:
        """A number of variable length may be cut off."""
        with pytest.raises(PrecompileFailed, match="cut off"):
            parse_values(bytes.fromhex(raw))


class TestPegIns:
    @pytest.mark.parametrize("upgrade", ["orchid", "wasabi", "papyrus", "iris", "vetiver"])
    def test_processed(self, upgrade: str) -> None:
        """A transaction has a slot of its own since Papyrus (RSKIP134)."""
        blocks = BitcoinBlocks(upgrade)
        transaction = paying(PAID)
        at_block(blocks.machine, 1_000)
        address = base58check(b"\x6f" + hash160(PrivateKey.from_int(1).public_key.format()))
        assert number(call(blocks.machine, ADD_UNLIMITED, dynamic(address.encode()), sender=KEEPER))
        blocks.register(transaction)
        own = stored(blocks.machine, hashed_slot_of(f"btcTxHashAP-{transaction.txid.hex()}"))
        listed = stored(blocks.machine, peg_ins.PROCESSED)

        if upgrade in {"orchid", "wasabi"}:
            assert (own, listed) == ("", rlp.encode([transaction.txid, b"\3\xe8"]).hex())
        else:
            assert (own, listed) == ("8203e8", "")
        asked = dynamic(transaction.txid.hex().encode())
        height = call(blocks.machine, "getBtcTxHashProcessedHeight(string)", asked)
        assert number(height) == 1_000

    def test_coinbase(self) -> None:
        """A registered coinbase leaves the Merkle root of the hashes with witnesses."""
        blocks = BitcoinBlocks()
        transaction = paying(PAID, spent=FROM_SEGWIT_KEY)
        proof = blocks.prove(transaction)
        hashed = double_sha256(bytes(32) + double_sha256(proof.raw))[::-1]
        reading = reading_call(blocks.machine)
        block = bitcoin_chain.BlockStore(reading).at_height(proof.height)
        assert block is not None
        slot = hashed_slot_of(f"coinbaseInformation-{block.hash.hex()}")

        assert stored(blocks.machine, slot) == f"e1a0{hashed.hex()}"
        method = "hasBtcBlockCoinbaseTransactionInformation(bytes32)"
        for asked, answer in ((block.hash, 1), (block.parent, 0)):
            assert number(call(blocks.machine, method, asked)) == answer
        store_rlp(reading, slot, [])
        assert call(blocks.machine, method, block.hash).error is None

    def test_header(self) -> None:
        """The time of the last header of `receiveHeader` is kept as a number."""
        machine = Machine()
        at_block(machine, 1, 5_000)
        received = call(machine, "receiveHeader(bytes)", arguments(child()))

        assert number(received) == 0
        assert stored(machine, bitcoin_chain.RECEIVED) == "821388"


class TestSettings:
    @pytest.mark.parametrize(("fee", "encoded"), [(1, "01"), (0x80, "8180"), (100_000, "830186a0")])
    def test_fee(self, fee: int, encoded: str) -> None:
        """The fee is stored when it is decided, and votes are cleared."""
        machine = Machine()
        assert stored(machine, settings.FEE_PER_KILOBYTE) == ""
        assert number(call(machine, VOTE_FEE, word(fee), sender=FEE_VOTER)) == 1

        assert stored(machine, settings.FEE_PER_KILOBYTE) == encoded
        assert stored(machine, elections.FEE_VOTES) == "c0"

    def test_locking_cap(self) -> None:
        """The locking cap is stored once it is raised, since Papyrus (RSKIP134)."""
        cap = powpeg_of(33).locking_cap + 1
        before, machine = Machine("wasabi"), Machine("papyrus")
        outcome = call(before, INCREASE_CAP, word(cap), sender=RAISER)

        assert "has no method" in str(outcome.error)
        assert stored(machine, settings.LOCKING_CAP) == ""
        assert number(call(machine, INCREASE_CAP, word(cap), sender=RAISER)) == 1
        assert stored(machine, settings.LOCKING_CAP) == rlp.encode(cap).hex()
