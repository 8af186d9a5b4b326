"""`devchain.evm.rootstock.precompiles.bridge.bitcoin_chain`"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256, merkle_root
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    COMMITMENT_PREFIX,
    NO_INDEX,
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.storage import (
    ADDRESS,
    hashed_slot_of,
    read_bytes,
    slot_of,
    store_rlp,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    GENESIS,
    GENESIS_ROOT,
    HARD,
    account,
    arguments,
    call,
    child,
    hash_twice,
    headers,
    number,
    reading_call,
    tree_of_one,
)
from tests.evm.rootstock.precompiles.calling import Machine, dynamic, unpack

MAIN, TEST, LOCAL = Machine(chain_id=30), Machine(chain_id=31), Machine()
MINED = Machine(local_call=False)

DATA = Path(__file__).with_name("bitcoin_transactions.json")
COINBASES = json.loads(DATA.read_text(encoding="utf-8"))["coinbases"]

WITNESS_ROOT = merkle_root(b"\1" * 32, 0, [b"\2" * 32])

CONFIRMATIONS = "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])"
COINBASE = "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)"
HEADERS = "receiveHeaders(bytes[])"
BY_HEIGHT = "getBtcBlockchainBlockHeaderByHeight(uint256)"


class TestReading:
    @pytest.mark.parametrize(
        ("machine", "height", "block"),
        [
            (MAIN, 499_968, "000000000000000000296e10eb4987c4eb9b7ba0841102dec4480e5d6b89acb5"),
            (TEST, 1_413_216, "000000000000001aa547c01c17edae35e21dd63fd7e6627daedf997bd3a54627"),
            (LOCAL, 0, GENESIS),
        ],
        ids=["main", "test", "local"],
    )
    def test_one_block(self, machine: Machine, height: int, block: str) -> None:
        """The bridge has the initial Bitcoin block only."""
        header = unpack(call(machine, "getBtcBlockchainBestBlockHeader()").output)
        by_hash, by_height = (
            unpack(call(machine, f"getBtcBlockchainBlockHeaderBy{key}", given).output)
            for key, given in (
                ("Hash(bytes32)", bytes.fromhex(block)),
                ("Height(uint256)", word(height)),
            )
        )
        found = call(machine, "getBtcBlockchainBlockHashAtDepth(int256)", word(0))

        assert number(call(machine, "getBtcBlockchainBestChainHeight()")) == height
        assert number(call(machine, "getBtcBlockchainInitialBlockHeight()")) == height
        assert unpack(found.output).hex() == block
        assert hashlib.sha256(hashlib.sha256(header).digest()).digest()[::-1].hex() == block
        assert by_hash == by_height == header

    def test_other_blocks(self) -> None:
        """Other Bitcoin blocks have no header, and requests for their hash fail."""
        by_hash = call(LOCAL, "getBtcBlockchainBlockHeaderByHash(bytes32)", bytes(32))
        by_height = call(LOCAL, "getBtcBlockchainBlockHeaderByHeight(uint256)", word(1))
        parent = call(
            LOCAL, "getBtcBlockchainParentBlockHeaderByHash(bytes32)", bytes.fromhex(GENESIS)
        )
        deeper = call(LOCAL, "getBtcBlockchainBlockHashAtDepth(int256)", word(1))

        assert unpack(by_hash.output) == unpack(by_height.output) == unpack(parent.output) == b""
        assert "the depth has to be between 0 and 0" in str(deeper.error)

    @pytest.mark.parametrize(
        ("block", "path", "branch", "answer", "gas"),
        [
            (GENESIS, 0, [], 1, 27_000),
            (GENESIS, 1, [bytes(32)], -5, 27_144),
            (64 * "1", 0, [bytes(32)], -1, 27_000),
        ],
        ids=["confirmed", "wrong branch", "unknown block"],
    )
    def test_confirmations(
        self, block: str, path: int, branch: list[bytes], answer: int, gas: int
    ) -> None:
        """A transaction is confirmed if a Merkle branch proves it to be in the initial block."""
        heads = bytes.fromhex(GENESIS_ROOT) + bytes.fromhex(block) + word(path) + word(128)
        arguments = heads + word(len(branch)) + b"".join(branch)
        outcome = call(MINED, CONFIRMATIONS, arguments)

        assert number(outcome) == answer
        assert outcome.gas == gas + 2 * (4 + len(arguments))

    def test_malformed_branch(self) -> None:
        """A path has no more bits than the branch has hashes."""
        heads = bytes(32) + bytes.fromhex(GENESIS) + word(2) + word(128)
        outcome = call(LOCAL, CONFIRMATIONS, heads + word(1) + bytes(32))

        assert str(outcome.error) == "the path of a Merkle branch is longer than the branch"

    def test_transactions(self) -> None:
        """No bitcoin transaction has been processed."""
        arguments = dynamic(64 * b"a")

        assert number(call(LOCAL, "isBtcTxHashAlreadyProcessed(string)", arguments)) == 0
        assert number(call(LOCAL, "getBtcTxHashProcessedHeight(string)", arguments)) == -1

    @pytest.mark.parametrize("text", [b"", 64 * b"A", b"0x" + 62 * b"0"], ids=["", "case", "0x"])
    def test_bad_hash(self, text: bytes) -> None:
        """A hash is 64 lower-case hex digits."""
        outcome = call(LOCAL, "isBtcTxHashAlreadyProcessed(string)", dynamic(text))

        assert str(outcome.error) == f"not the hash of a bitcoin transaction: {text.decode()!r}"


class TestReceiveHeader:
    @pytest.mark.parametrize(
        ("header", "answer"),
        [
            (b"", -20),
            (bytes(79), -20),
            (bytes(81), -20),
            (powpeg_of(33).block, -4),
            (bytes(80), -3),
            (child(HARD), -99),
            (child(bytes(4)), -99),
            (child(bytes.fromhex("ffff7f21")), -99),
        ],
        ids=["empty", "short", "long", "known", "orphan", "no work", "no target", "too easy"],
    )
    def test_refused(self, header: bytes, answer: int) -> None:
        """A header that cannot be added is answered with the real node's code."""
        assert number(call(MINED, "receiveHeader(bytes)", dynamic(header))) == answer

    def test_accepted(self) -> None:
        """A header that extends the chain becomes its head; the next has to wait for 300 s."""
        machine = Machine(local_call=False)
        first = child()
        second = child(previous=hash_twice(first).hex())
        receive = "receiveHeader(bytes)"

        assert number(call(machine, receive, dynamic(first))) == 0
        assert number(call(machine, receive, dynamic(first))) == -4
        assert number(call(machine, receive, dynamic(second))) == -1
        machine.state.execution_context._timestamp += 300
        assert number(call(machine, receive, dynamic(second))) == 0
        assert number(call(machine, "getBtcBlockchainBestChainHeight()")) == 2

    def test_too_deep(self) -> None:
        """A header more than 25 blocks below the head is too old."""
        machine = Machine(local_call=False)
        extend(machine, 27)

        late = dynamic(child(root=b"\1" * 32))

        assert number(call(machine, "receiveHeader(bytes)", late)) == -2


def branch(count: int, previous: str = GENESIS, root: bytes = bytes(32)) -> list[bytes]:
    """Headers one after another, from that block on."""
    chain: list[bytes] = []
    for _ in range(count):
        chain.append(child(previous=previous, root=root))
        previous = hash_twice(chain[-1]).hex()
    return chain


def inform(machine: Machine, chain: list[bytes]) -> None:
    """Have a federator send headers to the bridge."""
    outcome = call(machine, HEADERS, headers(*chain), sender=account("federator1"))
    assert outcome.error is None


def extend(machine: Machine, count: int) -> list[bytes]:
    """Extend the bridge's chain by headers; they are returned."""
    chain = branch(count)
    inform(machine, chain)
    return chain


class TestChain:
    @pytest.mark.parametrize("upgrade", ["wasabi", "papyrus", "iris", "lovell", "vetiver"])
    def test_longer(self, upgrade: str) -> None:
        """Headers are found by hash, height and depth."""
        machine = Machine(upgrade)
        chain = extend(machine, 4)
        hashes = [GENESIS, *(hash_twice(each).hex() for each in chain)]

        at_depth = [
            unpack(call(machine, "getBtcBlockchainBlockHashAtDepth(int256)", word(depth)).output)
            for depth in range(5)
        ]

        assert [each.hex() for each in at_depth] == hashes[::-1]
        assert number(call(machine, "getBtcBlockchainBestChainHeight()")) == 4
        assert number(call(machine, "getBtcBlockchainInitialBlockHeight()")) == 0
        if upgrade in {"wasabi", "papyrus"}:
            return
        at_height = [
            unpack(
                call(machine, "getBtcBlockchainBlockHeaderByHeight(uint256)", word(height)).output
            )
            for height in (1, 4, 5)
        ]
        assert at_height == [chain[0], chain[3], b""]
        for name, expected in (("", chain[1]), ("Parent", chain[0])):
            signature = f"getBtcBlockchain{name}BlockHeaderByHash(bytes32)"
            answer = call(machine, signature, bytes.fromhex(hashes[2]))
            assert unpack(answer.output) == expected

    def test_depth_of_search(self) -> None:
        """While the chain is short, only its five newest blocks are found by height."""
        machine = Machine()
        chain = extend(machine, 9)

        found = [
            unpack(
                call(machine, "getBtcBlockchainBlockHeaderByHeight(uint256)", word(height)).output
            )
            for height in (3, 4)
        ]

        assert found == [b"", chain[3]]

    def test_storage(self) -> None:
        """A header is stored under its hash: work, height, header, as in the real node."""
        for upgrade, work in (("iris", 12), ("lovell", 32)):
            machine = Machine(upgrade)
            (header,) = extend(machine, 1)
            read = partial(machine.state.get_storage, ADDRESS)

            stored = read_bytes(read, int.from_bytes(hash_twice(header), "big"))

            assert stored == (4).to_bytes(work) + (1).to_bytes(4) + header
            assert read_bytes(read, slot_of("blockStoreChainHead")) == stored
            index = read_bytes(read, hashed_slot_of("btcBlockHeight-1"))
            assert index == b"\xa0" + hash_twice(header)

    def test_reorganization(self) -> None:
        """The branch with more work becomes the best chain, and its blocks are found by height."""
        machine = Machine()
        old = extend(machine, 2)
        new = branch(3, root=b"\1" * 32)
        asked = bytes(32) + hash_twice(old[0]) + word(0) + word(128) + word(0)

        inform(machine, new[:2])
        assert unpack(call(machine, "getBtcBlockchainBestBlockHeader()").output) == old[1]
        assert number(call(machine, CONFIRMATIONS, asked)) == 2
        inform(machine, new)

        assert number(call(machine, "getBtcBlockchainBestChainHeight()")) == 3
        assert [unpack(call(machine, BY_HEIGHT, word(at)).output) for at in (1, 2, 3)] == new
        assert number(call(machine, CONFIRMATIONS, asked)) == -2

    def test_confirmations(self) -> None:
        """The depth of a block counts, in the answer and in the gas."""
        machine = Machine(local_call=False)
        sibling = b"\2" * 32
        root = merkle_root(b"\1" * 32, 0, [sibling])
        (first,) = branch(1, root=root)
        later = branch(6, hash_twice(first).hex())
        inform(machine, [first, *later[:4]])
        asked = b"\1" * 32 + hash_twice(first) + word(0) + word(128) + word(1) + sibling

        outcome = call(machine, CONFIRMATIONS, asked)

        assert number(outcome) == 5
        assert outcome.gas == 27_000 + 4 * 315 + 144 + 2 * (4 + len(asked))
        inform(machine, later)
        assert number(call(machine, CONFIRMATIONS, asked)) == -3  # below what is searched

    @pytest.mark.parametrize(
        ("upgrade", "registered", "answer"),
        [
            ("wasabi", WITNESS_ROOT, -5),
            ("papyrus", WITNESS_ROOT, 1),
            ("vetiver", WITNESS_ROOT, 1),
            ("vetiver", None, -5),
            ("vetiver", bytes(32), -5),
        ],
    )
    def test_witnesses(self, upgrade: str, registered: bytes | None, answer: int) -> None:
        """A branch may lead to the root with witnesses, once the coinbase is registered."""
        machine = Machine(upgrade, local_call=False)
        (block,) = branch(1)
        inform(machine, [block])
        if registered is not None:
            slot = hashed_slot_of(f"coinbaseInformation-{hash_twice(block).hex()}")
            store_rlp(reading_call(machine), slot, [registered])
        asked = b"\1" * 32 + hash_twice(block) + word(0) + word(128) + word(1) + b"\2" * 32

        assert number(call(machine, CONFIRMATIONS, asked)) == answer

    def test_negative_path(self) -> None:
        """A path with bit 31 is a negative number, in which no bits are counted."""
        asked = bytes(32) + bytes(32) + word(2**31) + word(128) + word(0)

        assert number(call(MINED, CONFIRMATIONS, asked)) == -1


class TestReceiveHeaders:
    def test_closed(self) -> None:
        """Since Iris only federators may send lists of headers."""
        outcome = call(Machine("iris"), HEADERS, headers(bytes(80)))

        assert "is not a member of the federation" in str(outcome.error)

    def test_ignored(self) -> None:
        """Headers that cannot be added are ignored, without an answer."""
        outcome = call(Machine("wasabi"), HEADERS, headers(bytes(80), child(HARD)))

        assert outcome.error is None
        assert outcome.output == b""

    @pytest.mark.parametrize(
        ("item", "reason"),
        [
            (bytes(79), "the header of a bitcoin block has 80 bytes"),
        ],
        ids=["short"],
    )
    def test_failing(self, item: bytes, reason: str) -> None:
        """A malformed header fails the call."""
        outcome = call(Machine("wasabi"), HEADERS, headers(bytes(80), item))

        assert reason in str(outcome.error)

    @pytest.mark.parametrize(
        ("rest", "is_accepted"),
        [
            ("", True),
            ("00", True),
            ("0000000000", True),
            ("fd0000", True),
            ("01", False),
            ("0100000000", False),
            ("feffffff7f", False),
            ("feffffffff", False),
            ("fd", False),
            ("000000000000", False),
        ],
    )
    def test_transactions(self, rest: str, is_accepted: bool) -> None:
        """Under Orchid up to five bytes may follow a header, but no transactions."""
        machine = Machine("orchid", local_call=False)
        payload = headers(child() + bytes.fromhex(rest))
        outcome = call(machine, HEADERS, payload, sender=account("federator1"))

        assert (outcome.error is None) == is_accepted
        assert (BlockStore(reading_call(machine)).head.height == 1) == is_accepted

    @pytest.mark.parametrize(
        ("upgrade", "count", "gas"),
        [("orchid", 3, 22_000), ("wasabi", 0, 25_000), ("wasabi", 3, 32_000)],
    )
    def test_gas(self, upgrade: str, count: int, gas: int) -> None:
        """Since Wasabi every header after the first costs gas."""
        items = headers(*[b"h"] * count)
        outcome = call(Machine(upgrade), HEADERS, items)

        assert outcome.gas == gas + 2 * (4 + len(items))


class TestRegisterCoinbase:
    def register(self, transaction: bytes, block: str, tree: bytes) -> str:
        """Register a coinbase transaction; why it failed."""
        known = int(block, 16)
        outcome = call(MINED, COINBASE, arguments(transaction, known, tree, 0, 0))

        assert outcome.output == b""
        return str(outcome.error or "")

    def test_other_transaction(self) -> None:
        """A proof of another transaction is ignored."""
        assert self.register(b"other", GENESIS, tree_of_one(b"coinbase")) == ""

    def test_unknown_block(self) -> None:
        """A block that the bridge does not have fails the call."""
        failure = self.register(b"coinbase", "11" * 32, tree_of_one(b"coinbase"))

        assert failure == f"the bridge does not have the bitcoin block {'11' * 32}"

    def test_other_root(self) -> None:
        """A proof for another block than the named one is ignored."""
        assert self.register(b"coinbase", GENESIS, tree_of_one(b"coinbase")) == ""

    @pytest.mark.parametrize(
        ("tree", "problem"),
        [
            (b"", "is cut off"),
            (bytes(6), "a block cannot have 0 transactions"),
            (tree_of_one(b"coinbase") + b"\0", "does not have the size that it declares"),
        ],
        ids=["empty", "no", "long"],
    )
    def test_malformed_proof(self, tree: bytes, problem: str) -> None:
        """A malformed proof fails the call."""
        assert problem in self.register(b"x", GENESIS, tree)

    def test_registered(self) -> None:
        """A coinbase whose output commits to the witnesses is registered for its block."""
        machine, witness_root = Machine(local_call=False), b"\7" * 32
        commitment = hashlib.sha256(
            hashlib.sha256(witness_root[::-1] + bytes(32)).digest()
        ).digest()
        coinbase = BitcoinTransaction(
            1,
            (TxInput(bytes(32), NO_INDEX, b"\1\1"),),
            (TxOutput(50, b"\x51"), TxOutput(0, COMMITMENT_PREFIX + commitment)),
        )
        raw = coinbase.serialize()
        (block,) = branch(1, root=hash_twice(raw))
        inform(machine, [block])
        known = int.from_bytes(hash_twice(block), "big")
        given = arguments(raw, known, tree_of_one(raw), int.from_bytes(witness_root), 0)
        has = "hasBtcBlockCoinbaseTransactionInformation(bytes32)"

        assert number(call(machine, has, hash_twice(block))) == 0
        assert call(machine, COINBASE, given).error is None
        assert number(call(machine, has, hash_twice(block))) == 1

        wrong = arguments(raw, known, tree_of_one(raw), 1, 0)
        assert "witness commitment" in str(call(machine, COINBASE, wrong).error)

    WITNESS_ROOT = b"\7" * 32
    COMMITTED = COMMITMENT_PREFIX + double_sha256(WITNESS_ROOT[::-1] + bytes(32))

    @pytest.mark.parametrize("upgrade", ["papyrus", "arrowhead", "lovell", "vetiver"])
    @pytest.mark.parametrize(
        ("scripts", "before_lovell", "later"),
        [
            ([], False, False),
            ([b"\x51"], False, False),
            ([COMMITTED], True, True),
            ([COMMITTED, b"\x51"], True, True),
            ([COMMITMENT_PREFIX + bytes(32), COMMITTED], True, True),
            ([COMMITTED, COMMITMENT_PREFIX + bytes(32)], False, False),
            ([COMMITTED, COMMITMENT_PREFIX + bytes(31)], False, True),
            ([COMMITTED, b"\x6a\x23" + COMMITMENT_PREFIX[2:] + bytes(31)], True, True),
            ([COMMITTED + b"\1\1"], True, True),
            ([COMMITTED + b"\5"], False, True),
            ([COMMITTED, b"\5"], False, True),
            ([b"\5", COMMITTED], True, True),
            ([b"\x6a\x2c" + COMMITTED[2:] + bytes(8)], False, False),
            ([b"\x91" + COMMITTED[1:]], False, False),
            ([COMMITTED[:-1]], False, False),
        ],
        ids=lambda value: " ".join(map(bytes.hex, value)) if isinstance(value, list) else "",
    )
    def test_commitment(
        self, upgrade: str, scripts: list[bytes], before_lovell: bool, later: bool
    ) -> None:
        """The last output that commits counts; before Lovell those behind it have to parse.

        The cases are those of rskj's BitcoinUtilsTest.
        """
        machine = Machine(upgrade, local_call=False)
        outputs = tuple(TxOutput(at, script) for at, script in enumerate(scripts or [b""]))
        raw = BitcoinTransaction(1, (TxInput(bytes(32), NO_INDEX, b"\1\1"),), outputs).serialize()
        (block,) = branch(1, root=hash_twice(raw))
        inform(machine, [block])
        known = int.from_bytes(hash_twice(block))
        root = int.from_bytes(self.WITNESS_ROOT)
        outcome = call(machine, COINBASE, arguments(raw, known, tree_of_one(raw), root, 0))
        is_registered = later if upgrade in {"lovell", "vetiver"} else before_lovell

        assert (outcome.error is None) == is_registered
        has = "hasBtcBlockCoinbaseTransactionInformation(bytes32)"
        assert number(call(machine, has, hash_twice(block))) == is_registered

    @pytest.mark.parametrize("case", COINBASES, ids=lambda case: str(case["commitment"][:8]))
    def test_real(self, case: dict[str, Any]) -> None:
        """Commitments of coinbases of Bitcoin's networks, some with outputs that do not parse."""
        coinbase = BitcoinTransaction.parse(bytes.fromhex(case["raw"])).checked()
        found = coinbase.witness_commitment()

        assert found is not None
        assert found.hex() == case["commitment"]
        if case["malformed"]:
            with pytest.raises(PrecompileFailed, match="cut off"):
                coinbase.witness_commitment(parses_scripts=True)
        else:
            assert coinbase.witness_commitment(parses_scripts=True) == found
