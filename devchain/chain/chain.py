"""The chain: every block by number and hash, and the state each of them left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from eth.abc import BlockHeaderAPI
from eth.constants import MAX_PREV_HEADER_DEPTH
from eth.db.chain import ChainDB

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.building import Closing, OpenBlock
from devchain.chain.difficulty import (
    LEAST_GAS_LIMIT,
    difficulty_rule,
    next_difficulty,
    next_gas_limit,
    next_minimum_gas_price,
)
from devchain.chain.fork_detection import ForkDetection
from devchain.chain.genesis import genesis
from devchain.chain.logs import LogIndex
from devchain.chain.machines import LeanMachine, StockMachine
from devchain.chain.remasc import Header, remasc_rules
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import BlockNotFound
from devchain.evm.forks import rules
from devchain.evm.rootstock.context import ChainView
from devchain.evm.rules import HeaderFields
from devchain.state.database import open_database
from devchain.state.view import StateView
from devchain.types import ZERO_ADDRESS, Address, BlockHash, BlockRef, Hash32, LogQuery, Tag

DIFFICULTY = difficulty_rule("local")


class HeaderStore(ChainDB):
    """py-evm's chain database, its headers answered from the chain in memory."""

    def __init__(self, database: Any, blocks: dict[Hash32, Block]) -> None:
        """Open states on `database`, read headers from `blocks`."""
        super().__init__(database)
        self._blocks = blocks

    def get_block_header_by_hash(self, block_hash: Any) -> BlockHeaderAPI:
        """The header of a block of this chain."""
        header: BlockHeaderAPI = self._blocks[block_hash].header
        return header


@dataclass(frozen=True, slots=True)
class ChainState:
    """What a snapshot keeps of the chain: how long it was."""

    height: int


class Chain:
    """Blocks in order, their states, and the index of transactions and logs.

    `witnesses` are told of every block, for what must count also those taken back later; whatever
    else is interested keeps a cursor. `pending` builds the block that would be mined now; the node
    sets it, since the transactions waiting are not the chain's to know.
    """

    def __init__(self, config: Config, clock: Clock, balances: dict[Address, int]) -> None:
        """Start with a genesis block that funds those accounts (wei)."""
        self._config = config
        self.rules = rules(config.hardfork, config.engine)
        self._database = open_database(config.engine)
        self._blocks: list[Block] = []
        self._by_hash: dict[Hash32, Block] = {}
        self._fork_detection = ForkDetection(self._blocks)
        self._context = ChainView(config.effective_chain_id, self._by_hash.get)
        self._lowest: tuple[Hash32, int] | None = None
        self._machine = StockMachine if config.engine == "reference" else LeanMachine
        self._closing = self._remasc() if config.remasc and self.rules.is_rootstock else None
        self._receipts: dict[Hash32, tuple[Block, Receipt]] = {}
        self._logs = LogIndex()
        self._headers = HeaderStore(self._database, self._by_hash)
        self.pending: Callable[[], Block] = lambda: self.head
        self.witnesses: list[Callable[[Block], None]] = []
        self.append(genesis(config, self.rules, self._database, balances, clock.now()))

    def _remasc(self) -> Closing:
        network = remasc_rules(self._config.network)
        return Closing(network, lambda number: cast(Header, self._blocks[number].header))

    # Blocks

    @property
    def head(self) -> Block:
        """The newest block."""
        return self._blocks[-1]

    @property
    def height(self) -> int:
        """The newest block's number."""
        return len(self._blocks) - 1

    def find_block(self, ref: BlockRef) -> Block | None:
        """The block a number, tag or hash names, or None."""
        if isinstance(ref, BlockHash):
            return self._by_hash.get(ref.hash)
        if isinstance(ref, Tag):
            return self._tagged(ref)
        return self._blocks[ref] if 0 <= ref <= self.height else None

    def block(self, ref: BlockRef) -> Block:
        """The block a number, tag or hash names; raises `BlockNotFound`."""
        found = self.find_block(ref)
        if found is None:
            msg = f"header not found: {_describe(ref)}; the newest block is {self.height}"
            raise BlockNotFound(msg)
        return found

    def _tagged(self, tag: Tag) -> Block:
        if tag is Tag.EARLIEST:
            return self._blocks[0]
        return self.pending() if tag is Tag.PENDING else self.head

    @property
    def head_was_free(self) -> bool:
        """Whether making the newest block took no more than writing its header."""
        is_lean = self._machine is LeanMachine
        return is_lean and self.rules.is_quiet and not self.head.transactions

    def blocks_after(self, height: int) -> Sequence[Block]:
        """The blocks above that height, in order."""
        return self._blocks[height + 1 :]

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block, or None."""
        return self._receipts.get(transaction_hash)

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """Logs of the chain that a query with `from_block` and `to_block` numbers matches."""
        return self._logs.search(query)

    # State

    def state_at(self, ref: BlockRef) -> StateView:
        """The state a block left; raises `BlockNotFound`."""
        return StateView.open(self._database, self.block(ref).state_root)

    def open_state(self, header: Any, hashes: Iterable[Hash32] | None = None) -> Any:
        """A py-evm state to run calls in, under that header's root; nothing of it is kept.

        `hashes` are what BLOCKHASH sees before it, newest first, if not the chain's own.
        """
        before = self._ancestors(header) if hashes is None else hashes
        return self.vm_class.build_state(self._database, header, self._context, before)

    def _ancestors(self, header: Any) -> Iterator[Hash32]:
        newest = header.block_number - 1
        numbers = range(newest, -1, -1)
        return (self._blocks[number].hash for number in islice(numbers, MAX_PREV_HEADER_DEPTH))

    @property
    def vm_class(self) -> Any:
        """The rules in force, as a py-evm VM class."""
        return self.rules.vm_class

    # Growing and shrinking

    def next_header(self, parent: Block, timestamp: int, coinbase: Address) -> Any:
        """The header of a block on that parent, before any transaction."""
        return self.rules.next_header(parent.header, self._voted(parent, timestamp, coinbase))

    def _voted(self, parent: Block, timestamp: int, coinbase: Address) -> HeaderFields:
        """What the miner decides, within a step of the parent's as the real node allows.

        The difficulty follows the rule of local networks everywhere: no machine of a developer
        could mine at that of the others.
        """
        wanted = self._config.effective_gas_limit
        elapsed = timestamp - parent.timestamp
        lowest = self.rules.lowest_gas_price(parent.header)
        return HeaderFields(
            timestamp=timestamp,
            coinbase=coinbase,
            gas_limit=next_gas_limit(parent.gas_limit, wanted, least=min(wanted, LEAST_GAS_LIMIT)),
            minimum_gas_price=next_minimum_gas_price(lowest, self._config.min_gas_price),
            difficulty=next_difficulty(DIFFICULTY, parent.header.difficulty, elapsed),
            fork_data=self._fork_detection.data_of_next() if self.rules.is_rootstock else b"",
        )

    def lowest_gas_price(self) -> int:
        """The least gas price, in wei, with which a transaction gets into the next block."""
        head = self.head
        if self._lowest is None or self._lowest[0] != head.hash:
            header = self.next_header(head, head.timestamp + 1, ZERO_ADDRESS)
            self._lowest = (head.hash, self.rules.lowest_gas_price(header))
        return self._lowest[1]

    def open_block(self, timestamp: int, coinbase: Address) -> OpenBlock:
        """A block on the head, ready for transactions."""
        header = self.next_header(self.head, timestamp, coinbase)
        machine = self._machine(self.rules, self._headers, self._context, header)
        return OpenBlock(self.rules, machine, header, self._closing)

    def append(self, block: Block) -> None:
        """Make a closed block the head."""
        self._blocks.append(block)
        self._by_hash[block.hash] = block
        self._logs.append(block)
        for receipt in block.receipts:
            self._receipts[receipt.transaction.hash] = (block, receipt)
        for witness in self.witnesses:
            witness(block)

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height."""
        for block in self._blocks[height + 1 :]:
            del self._by_hash[block.hash]
            for tx in block.transactions:
                del self._receipts[tx.hash]
        del self._blocks[height + 1 :]
        self._logs.truncate(height)

    def checkpoint(self) -> ChainState:
        """What to give to `restore` to come back here."""
        return ChainState(self.height)

    def restore(self, state: ChainState) -> None:
        """Come back to a checkpoint."""
        self.truncate(state.height)


def _describe(ref: BlockRef) -> str:
    if isinstance(ref, BlockHash):
        return f"no block has the hash 0x{ref.hash.hex()}"
    return f"there is no block {ref}"
