"""`devchain.evm.rootstock.precompiles.bridge.bitcoin_chain`"""

from __future__ import annotations

import hashlib

import pytest

from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    GENESIS,
    GENESIS_ROOT,
    arguments,
    call,
    hash_twice,
    number,
    tree_of_one,
)
from tests.evm.rootstock.precompiles.calling import Machine, dynamic, unpack

MAIN, TEST, LOCAL = Machine(chain_id=30), Machine(chain_id=31), Machine()
MINED = Machine(local_call=False)

CONFIRMATIONS = "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])"
COINBASE = "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)"
HEADERS = "receiveHeaders(bytes[])"

EASY, HARD = bytes.fromhex("ffff7f20"), bytes.fromhex("ffff001d")
"""Targets of regtest and of mainnet, as headers have them."""


def child(target: bytes = EASY, previous: str = GENESIS) -> bytes:
    """A header after that block, mined if the target is easy."""
    for nonce in range(1000):
        start = b"\1\0\0\0" + bytes.fromhex(previous)[::-1] + bytes(32) + b"time"
        header = start + target + nonce.to_bytes(4, "little")
        if target != EASY or int.from_bytes(hash_twice(header), "big") <= 0x7FFFFF << 232:
            return header
    raise AssertionError("no header was found")


def headers(*items: bytes) -> bytes:
    """Encode a list of headers."""
    return word(32) + word(len(items)) + dynamic(*items)


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
        assert "the depth has to be 0" in str(deeper.error)

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
        """A header that extends the chain fails, since the real node would add it."""
        outcome = call(MINED, "receiveHeader(bytes)", dynamic(child()))

        assert "devchain does not extend the bridge's chain of bitcoin blocks" in str(outcome.error)


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
            (child(), "devchain does not extend the bridge's chain"),
        ],
        ids=["short", "valid"],
    )
    def test_failing(self, item: bytes, reason: str) -> None:
        """A malformed header fails the call, and so does one that the real node would add."""
        outcome = call(Machine("wasabi"), HEADERS, headers(bytes(80), item))

        assert reason in str(outcome.error)

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
        "tree", [b"", bytes(6), tree_of_one(b"coinbase") + b"\0"], ids=["empty", "no", "long"]
    )
    def test_malformed_proof(self, tree: bytes) -> None:
        """A malformed proof fails the call."""
        assert "Bridge.registerBtcCoinbaseTransaction: " in self.register(b"x", GENESIS, tree)
