"""`devchain.chain.chain`"""

from __future__ import annotations

import pytest

from devchain.chain.chain import MAX_READERS
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import BlockNotFound
from devchain.networks import GWEI
from devchain.node import Node
from devchain.types import BlockHash, BlockRef, Hash32, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, FUNDS
from tests.actions import deploy, run, send
from tests.bytecode import assemble, word

ANCESTOR = assemble("0 CALLDATALOAD NUMBER SUB BLOCKHASH 0 MSTORE 32 0 RETURN")
"""returns the hash of the block n blocks ago; n is the first word of the call data"""


class TestBlock:
    @pytest.mark.parametrize(
        ("ref", "number"),
        [(0, 0), (1, 1), (2, 2), (Tag.EARLIEST, 0), (Tag.LATEST, 2), (Tag.SAFE, 2),
         (Tag.FINALIZED, 2), (Tag.PENDING, 3)],
        ids=str,
    )  # fmt: skip
    def test_by_number_and_tag(self, node: Node, ref: BlockRef, number: int) -> None:
        """Every tag names its block; safe and finalized are the head."""
        node.mine(MineRequest(blocks=2))

        assert node.chain.block(ref).number == number

    def test_by_hash(self, node: Node) -> None:
        """A hash names its block."""
        node.mine(MineRequest())

        found = node.chain.block(BlockHash(node.chain.head.hash))

        assert found is node.chain.head

    @pytest.mark.parametrize("ref", [1, 2**64, -1, BlockHash(Hash32(bytes(32)))], ids=str)
    def test_unknown(self, node: Node, ref: BlockRef) -> None:
        """`block` raises for a block that does not exist, `find_block` returns None."""
        with pytest.raises(BlockNotFound, match="header not found"):
            node.chain.block(ref)
        assert node.chain.find_block(ref) is None

    def test_pending(self, node: Node) -> None:
        """The pending block is not sealed, and not found by number or hash."""
        pending = node.chain.block(Tag.PENDING)

        assert not pending.sealed
        assert node.chain.find_block(pending.number) is None
        assert node.chain.find_block(BlockHash(pending.hash)) is None


class TestLowestGasPrice:
    @pytest.mark.parametrize("changes", [{}, {"base_fee": 5 * GWEI}, {"minimum_gas_price": 7}])
    @pytest.mark.parametrize("hardfork", ["vetiver", "berlin", "london", "prague"])
    def test_of_the_next_block(self, hardfork: str, changes: dict[str, int]) -> None:
        """It is that of the header of the next block, which need not be made."""
        with Node(Config(hardfork=hardfork, min_gas_price=9)) as node:
            chain = node.chain
            node.mine()
            chain.set_next_block(**changes)
            header = chain.next_header(chain.head, chain.head.timestamp + 1, ALICE)
            expected = chain.rules.lowest_gas_price(header)
            if hardfork == "berlin":  # what the miner wants, which no header has
                expected = changes.get("minimum_gas_price", 9)

            assert chain.lowest_gas_price() == expected


class TestState:
    def test_every_block_keeps_its_state(self, node: Node) -> None:
        """The state of any block can be read at any time."""
        for _ in range(5):
            run(node, BOB, value=1)

        balances = [node.chain.state_at(number).balance(BOB) for number in range(6)]

        assert balances == [FUNDS + number for number in range(6)]


class TestTruncate:
    def test_removes_blocks(self, node: Node) -> None:
        """Blocks above the height are not found any more by number, hash or transaction."""
        run(node, BOB, value=1)
        kept = node.chain.head
        sent = send(node, BOB, value=2)
        gone = node.chain.head

        node.chain.truncate(1)

        assert (node.chain.head, node.chain.height) == (kept, 1)
        assert node.chain.find_block(BlockHash(gone.hash)) is None
        assert node.chain.receipt(Hash32(sent)) is None
        assert node.chain.receipt(kept.transactions[0].hash) == (kept, kept.receipts[0])


class TestBlockhash:
    """BLOCKHASH in a call returns the hashes of the last 256 blocks."""

    @pytest.fixture
    def long(self, node: Node) -> bytes:
        """A contract that returns block hashes, on a chain of 260 blocks."""
        contract = deploy(node, ANCESTOR)
        node.mine(MineRequest(blocks=259))
        return contract

    @pytest.mark.parametrize("ago", [1, 2, 100, 255, 256])
    def test_known(self, node: Node, long: bytes, ago: int) -> None:
        """The last 256 hashes before the block of the call are returned."""
        request = TransactionRequest(to=long, data=word(ago))
        for at in (Tag.LATEST, Tag.PENDING, 258):
            number = node.chain.block(at).number
            expected = node.chain.block(number - ago).hash

            assert node.call(request, at) == expected

    @pytest.mark.parametrize("ago", [0, 257, 260, 2**255])
    def test_unknown(self, node: Node, long: bytes, ago: int) -> None:
        """The hash of the block itself, of older and of later blocks is zero."""
        assert node.call(TransactionRequest(to=long, data=word(ago))) == word(0)


SEEN = assemble(
    "NUMBER 0 MSTORE TIMESTAMP 32 MSTORE 1 NUMBER SUB BLOCKHASH 64 MSTORE"
    " 0 SLOAD 96 MSTORE ADDRESS BALANCE 128 MSTORE COINBASE 160 MSTORE 192 0 RETURN"
)
"""returns fields of the block, and the account's storage and balance"""

SHOWN = "0x" + "5e" * 20
STEPS: list[tuple[str, list[object]]] = [
    ("hardhat_setCode", [SHOWN, "0x" + SEEN.hex()]),
    ("hardhat_setStorageAt", [SHOWN, "0x0", word(1).hex()]),
    ("hardhat_setBalance", [SHOWN, "0x5"]),
    ("evm_mine", []),
    ("evm_snapshot", []),
    ("hardhat_setStorageAt", [SHOWN, "0x0", word(2).hex()]),
    ("evm_increaseTime", [3_600]),
    ("hardhat_setCoinbase", [SHOWN]),
    ("evm_mine", [{"blocks": 3}]),
    ("hardhat_setBalance", [SHOWN, "0x6"]),
    ("anvil_rollback", [1]),
    ("evm_mine", []),
    ("evm_revert", ["0x1"]),
    ("evm_mine", [{"blocks": 2}]),
    ("evm_reset", []),
    ("hardhat_setCode", [SHOWN, "0x" + SEEN.hex()]),
]
"""methods that change the chain, its states or its clock"""


class TestCaches:
    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_never_stale(self, engine: str) -> None:
        """A node that was read after every step returns the same as a fresh node."""
        config = Config(engine=engine, fixed_clock=1_700_000_000, accounts=1)
        cached = LocalClient(Node(config))
        for count, (method, params) in enumerate(STEPS, start=1):
            cached.call(method, *params)
            fresh = LocalClient(Node(config))
            for each, given in STEPS[:count]:
                fresh.call(each, *given)

            assert seen(cached) == seen(fresh), (count, method)
            assert seen(cached) == seen(cached), (count, method)

    def test_reader_limit(self, node: Node) -> None:
        """After `MAX_READERS` readers the state is opened anew, with the same balance."""
        before = node.chain.state_at(Tag.LATEST)
        balance = before.balance(ALICE)

        views = [node.chain.state_at(Tag.LATEST) for _ in range(MAX_READERS + 1)]

        assert views[0].accounts is before.accounts
        assert views[-1].accounts is not before.accounts
        assert views[-1].balance(ALICE) == balance


def seen(client: LocalClient) -> list[object]:
    """The result of a call, balance, slot and code of the account, at three tags."""
    refs = ["latest", "earliest", "pending"]
    return [
        [
            client.call("eth_call", {"to": SHOWN}, each),
            client.call("eth_getBalance", SHOWN, each),
            client.call("eth_getStorageAt", SHOWN, "0x0", each),
            client.call("eth_getCode", SHOWN, each),
        ]
        for each in refs
    ]
