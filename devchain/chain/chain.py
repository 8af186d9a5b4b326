"""The chain: every block by number and hash, and the state each of them left."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self, TypeVar

from eth.abc import BlockHeaderAPI
from eth.constants import MAX_PREV_HEADER_DEPTH
from eth.db.chain import ChainDB
from eth.exceptions import HeaderNotFound

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.block_builder import BlockBuilder
from devchain.chain.executor import FastExecutor, ReferenceExecutor
from devchain.chain.header_rules import (
    ForkDetection,
    next_difficulty,
    next_gas_limit,
    next_minimum_gas_price,
)
from devchain.chain.remasc import is_closing, pay, remasc_rules
from devchain.chain.storage.block_store import MemoryBlockStore
from devchain.config import Config
from devchain.errors import (
    BlockBuildFailed,
    BlockHashNotFound,
    BlockNotFound,
    ConfigError,
    InvalidInput,
    TransactionNotFound,
)
from devchain.evm.compiler.computation import FastState
from devchain.evm.hardforks import rules_for
from devchain.evm.instruction_counts import InstructionCounters, count_instructions
from devchain.evm.mocks import NO_MOCKS, Mocks, with_mocks
from devchain.evm.rootstock.precompiles.bridge.federation import federators_at
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.evm.rootstock.vm import ChainView
from devchain.evm.rules import HeaderFields, Rules, next_base_fee
from devchain.state.state_database import (
    Database,
    FastDatabase,
    RetainedState,
    open_database,
    state_parts,
)
from devchain.state.state_view import StateView
from devchain.types import (
    Address,
    BeforeTransaction,
    BlockHash,
    BlockLike,
    Hash32,
    LogQuery,
    StateLike,
    Tag,
    block_of,
)

if TYPE_CHECKING:
    from devchain.chain.fork import Fork
    from devchain.chain.storage.data_dir import DataDir  # which imports SQLite
    from devchain.chain.storage.sqlite_block_store import SqliteBlockStore

    BlockStore = MemoryBlockStore | SqliteBlockStore

Found = TypeVar("Found")


class AncestorHashes:
    """The hashes of the blocks before one of that number, newest first, as many as BLOCKHASH needs.

    It goes on where it was when reading a block has failed: on a fork its hash may have to be
    fetched first. A generator would end there, and BLOCKHASH return zero.
    """

    __slots__ = ("_blocks", "_last", "_next")

    def __init__(self, blocks: Sequence[Block], number: int) -> None:
        self._blocks = blocks
        self._next = number - 1
        self._last = max(0, number - MAX_PREV_HEADER_DEPTH)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Hash32:
        number = self._next
        if number < self._last:
            raise StopIteration
        block_hash = self._blocks[number].hash
        self._next = number - 1
        return block_hash


class HeaderStore(ChainDB):
    """py-evm's chain database, which reads headers from the blocks of the chain."""

    def __init__(self, database: Any, find_block: Callable[[Any], Block | None]) -> None:
        super().__init__(database)
        self._find_block = find_block

    def get_block_header_by_hash(self, block_hash: Any) -> BlockHeaderAPI:
        block = self._find_block(block_hash)
        if block is None:
            raise HeaderNotFound(f"no block has the hash 0x{block_hash.hex()}")
        header: BlockHeaderAPI = block.header
        return header

    def persist_trie_data_dict(self, trie_data_dict: Any) -> None:
        """Keep no tries of transactions and receipts: the blocks of the chain have these."""


@dataclass(frozen=True, slots=True)
class NextBlockOverrides:
    """Header fields of coming blocks that callers have set; None leaves a field to the rules.

    The gas limit, the extra data and the minimum gas price (wei) hold until they are changed,
    `base_fee` (wei) and `prev_randao` for the next block alone. Where there is no base fee, it is
    the minimum gas price; where there is one, the minimum gas price is the usual priority fee.
    """

    gas_limit: int | None = None
    minimum_gas_price: int | None = None
    base_fee: int | None = None
    prev_randao: Hash32 | None = None
    extra_data: bytes | None = None

    def after_block(self) -> NextBlockOverrides:
        if self.base_fee is None and self.prev_randao is None:
            return self
        return replace(self, base_fee=None, prev_randao=None)


MAX_READERS = 1_000  # readers of one opened state, which caches all that they read
MAX_CALL_GAS = 10_000_000  # of calls on one state: they cache a slot for 200 gas at least
MockChanges = tuple[tuple[int, Mocks], ...]  # mocks from a block's number on, up to the next one's


@dataclass(frozen=True, slots=True)
class RemovedBlocks:
    """Blocks taken off the chain, those of their states that were edited, and the chain's mocks."""

    blocks: tuple[Block, ...]
    edited: dict[Hash32, RetainedState]
    mock_changes: MockChanges


@dataclass(frozen=True, slots=True)
class ChainCheckpoint:
    """The chain in a snapshot."""

    height: int
    head: Hash32
    edited: RetainedState | None
    next_block_overrides: NextBlockOverrides
    mocks: Mocks = NO_MOCKS


def open_chain(
    config: Config,
    first_block: Callable[[Rules, Database], Block],
    data_dir: DataDir | None = None,
    counters: InstructionCounters | None = None,
    fork: Fork | None = None,
) -> Chain:
    """The chain on disk in a data dir, a fork of another, or one in memory.

    A chain without blocks starts with the one that `first_block` makes. With `counters` every
    instruction that runs is counted.
    """
    in_force = rules_for(
        config.hardfork,
        config.engine,
        unlimited_contract_size=config.unlimited_contract_size,
        is_fork=fork is not None,
    )
    if counters:
        in_force = count_instructions(in_force, counters)
    database: Database
    store: BlockStore
    if fork is not None:
        database, store = fork.open_stores(in_force, config, data_dir)
    elif data_dir is not None:
        database = FastDatabase(data_dir.load_node, data_dir.save_nodes)
        store = data_dir.open_blocks(in_force, config.effective_chain_id, database)
    else:
        database, store = open_database(config.engine), MemoryBlockStore()
    chain = Chain(config, in_force, database, store, fork)
    if not store.blocks:
        chain.append_block(first_block(in_force, database))
    return chain


class Chain:
    """Blocks in order, their states, and the index of transactions and logs.

    `first` is the number of the first block that is its own or, of a fork, that it was forked at.
    `block_listeners` are called with every block appended, for readers that also need removed ones;
    others keep a cursor. `pending` builds the block that would be mined now; the node sets it.
    `mock_listeners` are called when the mocks of mined blocks have changed, in the transaction that
    writes these. `version` grows with every change.
    """

    def __init__(
        self,
        config: Config,
        rules: Rules,
        database: Database,
        store: BlockStore,
        fork: Fork | None = None,
    ) -> None:
        self.mocks = NO_MOCKS
        self.mock_changes: MockChanges = ()
        self.fork = fork
        self.first = fork.number if fork else 0
        self._config = config
        self.use_rules(rules)
        self.version = 0
        self.pending: Callable[[], Block] = lambda: self.head
        self.block_listeners: list[Callable[[Block], None]] = []
        self.mock_listeners: list[Callable[[], None]] = []
        self.database = database
        self._store = store
        self._blocks = store.blocks
        self._edited = store.edited
        self.next_block_overrides = NextBlockOverrides()
        self._extra_data = config.effective_extra_data
        self._target_gas_limit = config.effective_gas_limit
        self._executor_class = ReferenceExecutor if config.engine == "reference" else FastExecutor
        self._headers = HeaderStore(database, store.find)
        self._context = ChainView(
            config.effective_chain_id,
            self._find_ancestor,
            config.max_evm_memory,
            config.federators,
        )
        self._fork_detection = ForkDetection(self._blocks, self.first)
        self._head: Block | None = None
        self._head_root: tuple[int, Hash32] | None = None  # the version, and the head's state in it
        self._view: StateView | None = None
        self._readers = 0  # of the view
        self._lowest: int | None = None
        self._start: RetainedState | None = None
        self._edited_header: tuple[tuple[Hash32, Hash32], Any] | None = None
        self._last_context: tuple[Any, Any] | None = None
        self._free_header: tuple[Any, Any] | None = None
        self._call_state: Any = None
        self._call_gas = 0
        self._before_transaction: tuple[tuple[Hash32, Hash32, int], RetainedState] | None = None

    def start_with(self, balances: Mapping[Address, int]) -> None:
        """Let a fork begin with those balances, in wei; one in a data dir after its next reset."""
        block = self._blocks[self.first]
        self._start = self.database.with_balances(block.state_root, balances)  # type: ignore[union-attr]  # a fork's has it
        if block.hash not in self._edited:
            self._store.edit(block.hash, self._start)

    def copy(self) -> Chain:
        """A chain that begins as this one and grows by itself.

        Blocks and states are shared, since they never change; block listeners are not copied.
        Raises `InvalidInput` for a chain on disk.
        """
        if not isinstance(self._store, MemoryBlockStore):
            raise InvalidInput("a chain on disk cannot be copied: start a node without a data dir")
        chain = Chain(self._config, self.plain_rules, self.database, self._store.copy(), self.fork)
        chain.version, chain.next_block_overrides = self.version, self.next_block_overrides
        chain.mock_changes = self.mock_changes
        chain.set_mocks(self.mocks)
        chain._start = self._start
        return chain

    # Blocks

    @property
    def head(self) -> Block:
        head = self._head
        if head is None:
            head = self._head = self._blocks[-1]
        return head

    @property
    def height(self) -> int:
        return len(self._blocks) - 1

    def find_block(self, ref: BlockLike) -> Block | None:
        if isinstance(ref, BlockHash):
            return self._store.find(ref.hash)
        if ref is Tag.EARLIEST:
            return self._blocks[0]
        if isinstance(ref, Tag):
            return self.pending() if ref is Tag.PENDING else self.head
        if isinstance(ref, int):
            return self._blocks[ref] if 0 <= ref <= self.height else None
        return self.find_block(block_of(ref))  # a tag or a hash as text, or nothing of the kind

    def block(self, ref: BlockLike) -> Block:
        block = self.find_block(ref)
        if block is not None:
            return block
        named, height = block_of(ref), self.height
        if isinstance(named, BlockHash):
            problem = f"no block has the hash 0x{named.hash.hex()}"
            raise BlockHashNotFound(
                f"header not found: {problem}; the newest block is {height}",
                digits=named.hash.hex(),
                newest=height,
            )
        raise BlockNotFound(
            f"header not found: there is no block {named}; the newest block is {height}",
            number=named if isinstance(named, int) else None,
            newest=height,
        )

    @property
    def head_was_free(self) -> bool:
        """Whether mining the newest block took little more than writing its header."""
        is_fast = self._executor_class is FastExecutor
        has_rewards = self.rules.has_block_rewards and not self.rules.has_prev_randao
        return is_fast and not has_rewards and not self.head.transactions

    def blocks_between(self, first: int, last: int) -> Sequence[Block]:
        """The blocks from one number to another, in order; those before a fork are read at once."""
        return self._blocks[first : last + 1]

    def own_blocks(self) -> Sequence[Block]:
        return self.blocks_after(self.first if self.fork else -1)

    def blocks_after(self, height: int) -> Sequence[Block]:
        return self._blocks[height + 1 :]

    def receipt(
        self, transaction_hash: bytes, *, own: bool = False
    ) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block; with `own` not of one before a fork."""
        return self._store.receipt(Hash32(transaction_hash), own=own)

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        return (log for log in self._store.search(query) if log is not None)

    def search(self, query: LogQuery) -> Iterator[MinedLog | None]:
        """As `logs`, with None where the search may pause unless blocks are removed meanwhile."""
        return self._store.search(query)

    # State

    def state_at(self, ref: StateLike) -> StateView:
        """The state after a block, with edits, or before a transaction; raises as `block`."""
        if ref is Tag.LATEST:  # most reads
            return self.head_state()
        if isinstance(ref, BeforeTransaction):
            return self._state_of(self._root_before(self.block(ref.block), ref))
        return self._state_of(self.state_root(self.block(ref)))

    def head_state(self) -> StateView:
        if self._head_root is None or self._head_root[0] != self.version:
            self._head_root = (self.version, self.state_root(self.head))
        return self._state_of(self._head_root[1])

    def _state_of(self, root: Hash32) -> StateView:
        # It cannot become outdated, since a root always means the same state.
        view = self._view
        self._readers += 1
        if view is None or view.root != root or self._readers > MAX_READERS:
            view = self._view = StateView(self.database.accounts(root), self.database, root)
            self._readers = 1
        return view

    def block_for_calls(self, ref: StateLike) -> tuple[Block, Any]:
        """A block, and its header with the root of the state for running calls in it."""
        if isinstance(ref, BeforeTransaction):
            block = self.block(ref.block)
            return block, block.header.copy(state_root=self._root_before(block, ref))
        block = self.block(ref)
        return block, self.header_for_calls(block)

    def _root_before(self, block: Block, place: BeforeTransaction) -> Hash32:
        count = len(block.transactions)
        if not block.number or place.index >= max(count, 1):
            plural = "s" * (count != 1)
            raise TransactionNotFound(
                f"block {block.number} has {count} transaction{plural}, none at index {place.index}"
            )
        key = (block.hash, self.state_root(self.block(block.number - 1)), place.index)
        if self._before_transaction is None or self._before_transaction[0] != key:

            def replay() -> RetainedState:
                self.read_accounts(block, place.index)
                builder = self.new_replay_builder(block)
                for tx in block.transactions[: place.index]:
                    builder.replay_transaction(tx)
                builder.state.persist()
                return self.database.retain_state(Hash32(builder.state.state_root))

            self._before_transaction = (key, self.read_together(replay))
        return self._before_transaction[1].root

    def read_together(
        self, read: Callable[[], Found], receiver: Address | None = None, payload: bytes = b""
    ) -> Found:
        """The result of a function that changes nothing; a fork fetches what it reads together.

        What earlier calls of that receiver needed is fetched with it.
        """
        fork = self.fork
        return fork.speculation.complete(read, receiver, payload) if fork else read()

    def read_accounts(self, block: Block, count: int) -> None:
        """On a fork, read the accounts that a block's first transactions need together."""
        if self.fork is None or block.number > self.first:
            return
        accounts = self.state_at(block.number - 1).accounts
        for tx in block.transactions[:count]:
            accounts.get_nonce(tx.sender)
            accounts.get_balance(tx.sender)
            if tx.to is not None:
                accounts.get_code(tx.to)
        accounts.get_balance(block.header.coinbase)

    def state_root(self, block: Block) -> Hash32:
        """The root of the state after a block: of the edited one if it was edited."""
        edited = self._edited.get(block.hash)
        if edited is None and self.fork:
            return self.fork.state_root(block)
        return edited.root if edited else block.state_root

    def header_for_calls(self, block: Block) -> Any:
        """The block's header with the root of `state_root`, for running calls in the block."""
        if block.hash not in self._edited and (self.fork is None or block.number >= self.first):
            return block.header
        root = self.state_root(block)
        if root == block.state_root:  # of a simulated block
            return block.header
        key = (block.hash, root)
        if self._edited_header is None or self._edited_header[0] != key:
            self._edited_header = (key, block.header.copy(state_root=root))
        return self._edited_header[1]

    @contextmanager
    def edit_state(self) -> Iterator[Any]:
        """Edit the accounts of the head's state outside any block.

        Head and header stay as they are. From now on the head's state is the edited one, for
        readers, proofs, the next block and for replaying it.
        """
        accounts = self.database.accounts(self.state_root(self.head))
        yield accounts
        accounts.persist()
        self._store.edit(self.head.hash, self.database.retain_state(Hash32(accounts.state_root)))
        self.version += 1

    def write_accounts(self, write: Callable[[Any], object]) -> None:
        """Edit the head's state; on a fork what that needs to know is fetched together first."""
        if self.fork:

            def try_out() -> None:
                accounts = self.database.accounts(self.state_root(self.head))
                write(accounts)
                accounts.make_state_root()

            self.read_together(try_out)
        with self.edit_state() as accounts:
            write(accounts)

    def open_state(self, header: Any, hashes: Iterable[Hash32] | None = None) -> Any:
        """A py-evm state for calls in the block; `hashes` replace the chain's own for BLOCKHASH."""
        context = (
            self._cached_context(header) if hashes is None else self.new_context(header, hashes)
        )
        state_class = self._state_class
        if self.fork:
            state_class = self.rules_of_call(header.block_number).vm_class.get_state_class()
        return state_class(self.database, context, header.state_root)

    def header_without_base_fee(self, header: Any) -> Any:
        cached = self._free_header
        if cached is None or cached[0] is not header:
            rules = self.rules_of_call(header.block_number)
            cached = self._free_header = (header, rules.without_base_fee(header))
        return cached[1]

    def state_for_call(self, header: Any) -> Any:
        """As `open_state`, or the last call's in that block, rewound: reads are decoded once."""
        used, self._call_state = self._call_state, None
        if (
            used is not None
            and used.execution_context is self._cached_context(header)
            and type(used) is self._state_class
        ):
            return used
        self._call_gas = 0
        return self.open_state(header)

    def give_back(self, state: Any, gas: int) -> None:
        """Let the next call use a state of `state_for_call`, until calls have taken much gas."""
        self._call_gas += gas
        if (
            self._call_gas < MAX_CALL_GAS
            and self._can_rewind
            and state.computation_class is self._state_class.computation_class
            and state.rewind()
        ):
            self._call_state = state

    def _cached_context(self, header: Any) -> Any:
        # The cache compares the header by identity; `truncate` clears it with the blocks before it.
        cached = self._last_context
        if cached is None or cached[0] is not header:
            cached = (header, self.new_context(header))
            self._last_context = cached
        return cached[1]

    def new_context(self, header: Any, hashes: Iterable[Hash32] | None = None) -> Any:
        """An execution context of a header that is shared with no other state."""
        if hashes is None:
            hashes = AncestorHashes(self._blocks, header.block_number)
        vm_class = self.rules_of_call(header.block_number).vm_class
        return vm_class.create_execution_context(header, hashes, self._context)

    def _find_ancestor(self, block_hash: Hash32, depth: int) -> Block | None:
        block = self._store.find(block_hash)
        if block is None or depth > block.number:
            return None
        return self._blocks[block.number - depth]

    @property
    def vm_class(self) -> Any:
        return self.rules.vm_class

    def rules_of_call(self, number: int) -> Rules:
        """The rules of a call in the block of that number: before a fork those of its height."""
        if self._rules_fork is None or self.mocks.ordered:
            return self.rules
        return self._rules_fork.rules_of_call(number, self._config, self.rules)

    @contextmanager
    def other_rules(self, rules: Rules) -> Iterator[None]:
        """Within the `with`, run calls and replays under those rules, in blocks of any height."""
        plain = self.plain_rules
        self.use_rules(rules, everywhere=True)
        try:
            yield
        finally:
            self.use_rules(plain)

    def rules_named(self, hardfork: str) -> Rules:
        """The rules of a hardfork for `other_rules`; raises `ConfigError`."""
        unlimited, is_fork = self._config.unlimited_contract_size, self.fork is not None
        options = {"unlimited_contract_size": unlimited, "is_fork": is_fork}
        rules = rules_for(hardfork, self._config.engine, **options)
        if rules.has_merged_mining != self.rules.has_merged_mining:
            raise ConfigError(f"{rules.hardfork} is of another chain than {self.rules.hardfork}")
        return rules

    def use_rules(self, rules: Rules, *, everywhere: bool = False) -> None:
        """Follow those rules, on a fork in earlier blocks if `everywhere`, and answer mocks."""
        fork, config = None if everywhere else self.fork, self._config
        self._rules_fork, self._last_context = fork, None
        self.plain_rules = rules
        # Kept for the last few mocks, since each makes classes.
        self._rules_with = lru_cache(16)(partial(with_mocks, rules))
        self.rules_at: Callable[[int], Rules] = lambda number: (
            fork.rules_at(number, config, rules) if fork else rules
        )
        self.rules = self._rules_with(self.mocks)
        self._state_class: Any = self.rules.vm_class.get_state_class()
        self._can_rewind = issubclass(self._state_class, FastState)

    def set_mocks(self, mocks: Mocks) -> None:
        if mocks == self.mocks:
            return
        self.mocks, self.rules = mocks, self._rules_with(mocks)
        self._state_class = self.rules.vm_class.get_state_class()
        self._can_rewind = issubclass(self._state_class, FastState)
        self.version += 1

    def restore_mocks(self, mocks: Mocks, changes: MockChanges) -> None:
        self.set_mocks(mocks)
        self.mock_changes = changes
        self._forget_mocks_above(self.height)

    def _forget_mocks_above(self, height: int) -> None:
        if self.mock_changes:
            place = bisect_right(self.mock_changes, height, key=itemgetter(0))
            self.mock_changes = self.mock_changes[:place]

    def _change_mocks(self, changes: MockChanges) -> None:
        self.mock_changes = changes
        for listener in self.mock_listeners:
            listener()

    def _mocks_at(self, number: int) -> Mocks:
        place = bisect_right(self.mock_changes, number, key=itemgetter(0))
        return self.mock_changes[place - 1][1] if place else NO_MOCKS

    # Building blocks

    def next_header(self, parent: Block, timestamp: int, coinbase: Address) -> Any:
        overrides, target, rules = self.next_block_overrides, self._target_gas_limit, self.rules
        header = parent.header
        gas_limit = overrides.gas_limit or next_gas_limit(header.gas_limit, target)
        fields = HeaderFields(
            timestamp=timestamp,
            coinbase=coinbase,
            gas_limit=gas_limit,
            minimum_gas_price=self._next_minimum_gas_price(header),
            difficulty=next_difficulty(header.difficulty, timestamp - header.timestamp),
            fork_data=self._fork_detection.next_data() if rules.has_fork_data else b"",
            base_fee=overrides.base_fee,
            prev_randao=overrides.prev_randao,
            extra_data=self._extra_data if overrides.extra_data is None else overrides.extra_data,
        )
        return rules.next_header(self.header_for_calls(parent), parent.hash, fields)

    def _next_minimum_gas_price(self, parent: Any) -> int:
        overrides = self.next_block_overrides
        if overrides.base_fee is not None:
            return overrides.base_fee
        if overrides.minimum_gas_price is not None:
            return overrides.minimum_gas_price
        lowest = self.rules.lowest_gas_price(parent)
        return next_minimum_gas_price(lowest, self._config.min_gas_price)

    def set_next_block(self, **changes: Any) -> None:
        self.next_block_overrides = replace(self.next_block_overrides, **changes)
        self._lowest = None
        self.version += 1

    def max_transaction_gas(self) -> int:
        """The largest gas limit with which a transaction fits into the next block."""
        limit = self.next_block_overrides.gas_limit or self.head.gas_limit
        cap = self.rules.transaction_gas_cap
        return limit if cap is None else min(limit, cap)

    def lowest_gas_price(self) -> int:
        if self._lowest is None:
            overrides, parent, rules = self.next_block_overrides, self.head.header, self.rules
            if rules.has_merged_mining:
                self._lowest = self._next_minimum_gas_price(parent)
            elif not rules.has_minimum_gas_price:
                wanted = overrides.base_fee
                self._lowest = next_base_fee(parent) if wanted is None else wanted
            else:
                wanted = overrides.minimum_gas_price
                self._lowest = self._config.min_gas_price if wanted is None else wanted
        return self._lowest

    @property
    def priority_fee(self) -> int:
        """The price above the lowest one, in wei, that transactions offer by default."""
        wanted = self.next_block_overrides.minimum_gas_price
        if wanted is None or self.rules.has_minimum_gas_price:
            return self.rules.default_priority_fee
        return wanted

    def new_block_builder(self, timestamp: int, coinbase: Address) -> BlockBuilder:
        header = self.next_header(self.head, timestamp, coinbase)
        has_remasc = self._config.remasc and self.rules.has_merged_mining
        return self._builder(header, self._headers, has_remasc=has_remasc)

    def new_detached_block_builder(
        self, header: Any, known: Mapping[Hash32, Block], members: Mapping[str, Any]
    ) -> BlockBuilder:
        """The builder of a simulated block, on a block of the chain or of `known`.

        `members` are those of its state's class that are not the rules' own.
        """
        headers = HeaderStore(
            self.database, lambda block_hash: known.get(block_hash) or self._store.find(block_hash)
        )
        rules = self.rules_of_call(header.block_number)
        if members:
            rules = rules.with_state(**members)
        return self._builder(header, headers, has_remasc=False, rules=rules)

    def new_replay_builder(self, block: Block, root: Hash32 | None = None) -> BlockBuilder:
        """A builder for a block's transactions, on its parent's state or that of `root`."""
        root = root or self.state_root(self.block(block.number - 1))
        header = block.header.copy(state_root=root, gas_used=0, bloom=0)
        has_remasc = bool(block.transactions) and is_closing(block.transactions[-1])
        mocks = self._mocks_at(block.number)
        rules = self._rules_with(mocks) if mocks.ordered else self.rules_at(block.number)
        if not block.sealed:
            rules = self.rules
        return self._builder(header, self._headers, has_remasc=has_remasc, rules=rules)

    def _builder(
        self, header: Any, headers: HeaderStore, *, has_remasc: bool, rules: Rules | None = None
    ) -> BlockBuilder:
        rules = rules or self.rules
        executor = self._executor_class(rules, headers, self._context, header)
        if not has_remasc:
            return BlockBuilder(rules, executor, header)
        remasc = partial(
            pay,
            remasc_rules(self._config.network),
            lambda number: self._blocks[number].header,
            partial(self._federators, rules.hardfork),
        )
        return BlockBuilder(rules, executor, header, remasc)

    def _federators(self, upgrade: str, state: Any, number: int) -> tuple[Address, ...]:
        upstream = self.fork.federators(state) if self.fork else None
        try:
            return upstream or federators_at(state, upgrade, number)
        except PrecompileFailed as error:
            raise BlockBuildFailed(f"REMASC cannot pay the federation: {error}") from error

    # Growing and shrinking

    def append_block(self, block: Block) -> None:
        changes = self.mock_changes
        if self.mocks == (changes[-1][1] if changes else NO_MOCKS):
            self._append(block)
        else:
            with self._store.atomic():  # a block on disk needs its mocks to be replayed
                self._append(block)
                self._change_mocks((*changes, (block.number, self.mocks)))
        self.next_block_overrides = self.next_block_overrides.after_block()
        for listener in self.block_listeners:
            listener(block)

    def _append(self, block: Block) -> None:
        self._store.append(block)
        self._head, self._lowest = block, None
        self._call_state = None
        self.version += 1

    def truncate(self, height: int) -> RemovedBlocks:
        blocks = tuple(self._blocks[height + 1 :])
        edited = {
            block.hash: self._edited[block.hash] for block in blocks if block.hash in self._edited
        }
        changes = self.mock_changes
        self._truncate(height)
        return RemovedBlocks(blocks, edited, changes)

    def _truncate(self, height: int) -> None:
        self._store.truncate(height)
        self._forget_mocks_above(height)
        self._head = self._lowest = self._last_context = None
        self._call_state = None
        self.version += 1

    def put_back_blocks(self, removed: RemovedBlocks) -> None:
        with self._store.atomic():
            self._truncate(removed.blocks[0].number - 1)
            for block in removed.blocks:
                self._append(block)
            for block_hash, state in removed.edited.items():
                self._store.edit(block_hash, state)
            self._change_mocks(removed.mock_changes)

    def reset(self) -> None:
        """Go back to genesis as it was made, or to the block that the chain was forked at."""
        with self._store.atomic():
            self._truncate(self.first)
            self._store.edit(self.head.hash, self._start)
        self.next_block_overrides = NextBlockOverrides()
        self.set_mocks(NO_MOCKS)

    def replace_blocks(
        self, blocks: Sequence[Block], nodes: dict[Hash32, bytes], edited: Mapping[Hash32, Hash32]
    ) -> None:
        """Replace all own blocks; `nodes` are of their states, `edited` roots by block hash."""
        self.set_mocks(NO_MOCKS)
        with self._store.atomic():
            self._truncate(self.first if self.fork else -1)
            self.database.add_nodes(nodes)
            for block in blocks:
                self._append(replace(block, state=self.database.retain_state(block.state_root)))
            for block_hash, root in edited.items():
                self._store.edit(block_hash, self.database.retain_state(root))
        self.next_block_overrides = NextBlockOverrides()

    def state_nodes(self, roots: Iterable[Hash32]) -> Iterator[tuple[Hash32, bytes]]:
        """Every trie node and contract code of the states of those roots, once, by hash."""
        seen: set[Hash32] = set()
        kept: deque[Any] = deque(maxlen=2)  # the state of a run is made from the one before it
        for root in roots:
            kept.append(self.database.retain_state(root))
            yield from state_parts(self.database, root, seen)

    def edited_roots(self) -> dict[Hash32, Hash32]:
        return {block_hash: state.root for block_hash, state in self._edited.items()}

    def atomic(self) -> AbstractContextManager[None]:
        """Write all changes made inside to disk, or none of them; in memory, no effect."""
        return self._store.atomic()

    def reload(self) -> None:
        """Return to the blocks on disk, after a transaction has failed; in memory, no effect."""
        self._store.reload()
        self._head = self._lowest = self._last_context = self._edited_header = None
        self._call_state = None
        self.version += 1

    def checkpoint(self) -> ChainCheckpoint:
        edited = self._edited.get(self.head.hash)
        return ChainCheckpoint(
            self.height, self.head.hash, edited, self.next_block_overrides, self.mocks
        )

    def can_restore(self, checkpoint: ChainCheckpoint) -> bool:
        block = self.find_block(checkpoint.height)
        return block is not None and block.hash == checkpoint.head

    def restore(self, checkpoint: ChainCheckpoint) -> None:
        with self._store.atomic():
            self._truncate(checkpoint.height)
            if checkpoint.edited != self._edited.get(checkpoint.head):
                self._store.edit(checkpoint.head, checkpoint.edited)
        self.next_block_overrides = checkpoint.next_block_overrides
        self.set_mocks(checkpoint.mocks)
