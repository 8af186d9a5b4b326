"""A fork: where the chain of another node was left, and what has been read of it."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from eth_hash.auto import keccak

from devchain import errors
from devchain.chain.block import Block
from devchain.chain.slices import Slices, wait_for
from devchain.chain.storage.block_store import MemoryBlockStore
from devchain.chain.upstream_blocks import UpstreamBlock, UpstreamBlocks, block_query
from devchain.config import Config
from devchain.evm.hardforks import rules_for
from devchain.evm.rootstock.precompiles.bridge.federation import federators_of
from devchain.evm.rootstock.precompiles.bridge.storage import is_changed
from devchain.networks import (
    HARDFORKS,
    NEWEST,
    canonical,
    hardfork_at,
    is_ethereum,
    is_since,
    network,
)
from devchain.state.fork_state import ForkDatabase
from devchain.state.trie_database import NO_CODE
from devchain.state.upstream_state import Speculation, UpstreamState
from devchain.types import ZERO_HASH, Address, Hash32
from devchain.upstream.client import Upstream
from devchain.upstream.fork_cache import ForkCache
from devchain.upstream.fork_cache_file import CacheFile, default_path
from devchain.upstream.queries import ForkBlock, UpstreamQuery, data, quantity, upstream_query

if TYPE_CHECKING:
    from devchain.chain.storage.data_dir import DataDir  # which imports SQLite's block store
    from devchain.chain.storage.sqlite_block_store import SqliteBlockStore
    from devchain.evm.rules import Rules

logger = logging.getLogger(__name__)

NETWORK_OF_CHAIN = {30: "main", 31: "test"}
SAFE_DISTANCE = 12  # blocks behind the newest one at which a fork begins by default
DEVCHAIN_NAME = re.compile(r"devchain/[^/]+/([A-Za-z0-9]+)/")  # a devchain node and its rules
RECORD_ONE = (
    "record one by a run without --offline (in Python offline=False), or with "
    "`pytest --devchain-fork-record`"
)

CACHE_FILE = "fork-cache.sqlite"
LOCAL_CHAINS = frozenset({33, 1337, 31337})  # no reorganizations: forks begin at the newest block
DEVELOPMENT_NODE = re.compile(r"devchain/|anvil/|HardhatNetwork/|Ganache/|.*/devchain$")
"""What development nodes of any chain id call themselves."""
CHAIN_ID, BLOCK_NUMBER = upstream_query("eth_chainId"), upstream_query("eth_blockNumber")
CLIENT_VERSION = upstream_query("web3_clientVersion")


@dataclass(frozen=True, slots=True)
class ForkStatus:
    """What users are shown of a fork; no key of a URL is in it.

    `address` is scheme, host and port of the upstream, None offline; `cache` the path of the fork
    cache; `hits` counts the values that it had, `requests` and `round_trips` what was asked.
    """

    address: str | None
    block: ForkBlock
    newest: int | None
    cache: str | None
    hits: int
    requests: int
    round_trips: int

    @property
    def distance(self) -> int | None:
        """How many blocks the chain was ahead of the fork block, if that is known."""
        return None if self.newest is None else max(self.newest - self.block.number, 0)


class Fork:
    """The block that a chain was forked at, and the cache of what its upstream answers.

    `newest` is the number of the upstream's newest block when the fork began, if it was asked.
    `urls` are those of the upstream, with their keys: not to be shown.
    """

    def __init__(
        self,
        cache: ForkCache,
        block: ForkBlock,
        newest: int | None = None,
        urls: Sequence[str] = (),
        *,
        follows_heights: bool = False,
    ) -> None:
        """With `follows_heights` the rules of a block before the fork are those of its height."""
        self.cache = cache
        self.block = block
        self.number = block.number
        self.newest = newest
        self.urls = urls
        self.follows_heights = follows_heights
        self.speculation = Speculation(cache)
        self._federators: tuple[Address, ...] | None = None
        self._numbers: dict[Hash32, int] = {}  # of blocks, by what `state_root` returns
        self._nodes = 0

    def open(self) -> None:
        self._nodes += 1

    def close(self) -> None:
        self._nodes -= 1
        if self._nodes == 0:
            self.cache.close()

    def replace_upstream(self, config: Config, url: str) -> None:
        """Ask the node at another URL from now on; it has no answers if it lacks the fork block."""
        former, self.cache.upstream = self.cache.upstream, _open_upstream(config, [url])
        self.cache.upstream.pin(self.block)
        self.urls = [url]
        if former:
            former.close()

    def status(self) -> ForkStatus:
        upstream, file = self.cache.upstream, self.cache.file
        return ForkStatus(
            address=upstream.address if upstream else None,
            block=self.block,
            newest=self.newest,
            cache=str(file.path) if file else None,
            hits=self.cache.hits,
            requests=upstream.requests if upstream else 0,
            round_trips=upstream.round_trips if upstream else 0,
        )

    def state_root(self, block: Block) -> Hash32:
        """The key of the state after a block: its root, or one of its own before the fork block."""
        if block.number >= self.number or not isinstance(block, UpstreamBlock):
            return block.state_root
        root = Hash32(keccak(block.number.to_bytes(8, "big") + block.state_root))
        self._numbers[root] = block.number
        return root

    def open_stores(
        self, rules: Rules, config: Config, data_dir: DataDir | None = None
    ) -> tuple[ForkDatabase, MemoryBlockStore | SqliteBlockStore]:
        """The states and blocks up to the fork block, to build upon, and those in a data dir."""

        def rules_at(number: int) -> Rules:
            return self.rules_at(number, config, rules)

        blocks = UpstreamBlocks(self.cache, self.block, rules, rules_at)
        self._numbers[blocks[self.number].state_root] = self.number

        def find_base(root: Hash32) -> UpstreamState | None:
            number = self._numbers.get(root)
            if number is None:
                return None
            return UpstreamState(self.speculation, number, root, database.code)

        if data_dir is None:
            database = ForkDatabase(find_base)
            return database, MemoryBlockStore(blocks)
        database = ForkDatabase(find_base, data_dir.load_node, data_dir.save_nodes)
        return database, data_dir.open_blocks(rules, config.effective_chain_id, database, blocks)

    def federators(self, state: Any) -> tuple[Address, ...] | None:
        """The accounts of the federation of the real node's chain at the fork block.

        None if the chain is another node's, or if the Bridge has changed since.
        """
        if not self.speculation.is_of_rskj or is_changed(state):
            return None
        if self._federators is None:
            upstream = UpstreamState(
                self.speculation, self.number, ZERO_HASH, lambda _code: NO_CODE
            )
            self._federators = federators_of(upstream)
        return self._federators

    def rules_at(self, number: int, config: Config, in_force: Rules) -> Rules:
        """The rules that a block is replayed under; headers keep the form of those in force."""
        hardfork = hardfork_at(self.block.chain_id, number) if self.follows_heights else None
        for name, _, first in (each.partition("@") for each in config.fork_hardfork):
            hardfork = canonical(name) if int(first) <= number else hardfork
        if hardfork is None or number > self.number:
            return in_force
        if is_ethereum(in_force.hardfork) and not is_since(in_force.hardfork, "london"):
            return in_force
        return rules_for(hardfork, config.engine, is_fork=True)

    def rules_of_call(self, number: int, config: Config, in_force: Rules) -> Rules:
        """The rules of a call in a block: wanted ones are in force from the fork block on."""
        if is_ethereum(in_force.hardfork):
            return in_force
        if number == self.number:
            by_height = hardfork_at(self.block.chain_id, number + 1)
            if by_height != in_force.hardfork:
                return in_force
        return self.rules_at(number, config, in_force)

    @contextmanager
    def deferring(self) -> Iterator[None]:
        """Inside, an unknown value raises `ForkCacheMiss` instead of being waited for."""
        self.cache.deferred = True
        try:
            yield
        finally:
            self.cache.deferred = False

    def fetch_in_slices(self, missing: errors.ForkCacheMiss) -> Slices[None]:
        yield from wait_for(self.cache.fetch_in_background(missing))


# Opening a fork


class KeptFork(NamedTuple):
    """What a data dir keeps of the fork that its chain is: no URL, and so no key.

    `follows_heights` as `Fork` has it; `hardfork` are the rules after the fork block.
    """

    block: ForkBlock
    hardfork: str
    follows_heights: bool

    @classmethod
    def of(cls, data_dir: DataDir) -> Self | None:
        rules = data_dir.rules()
        if data_dir.FORK not in rules:
            return None
        kept = json.loads(rules[data_dir.FORK])
        block = ForkBlock(kept["chainId"], kept["number"], bytes.fromhex(kept["hash"]))
        return cls(block, rules["hardfork"], kept["followsHeights"])

    def check_number(self, number: int | None) -> None:
        # A number that counts from the newest block named that one when the fork began.
        if number is not None and number >= 0 and number != self.block.number:
            raise errors.ConfigError(
                f"the chain in the data dir is a fork of chain {self.block.chain_id} at block "
                f"{self.block.number}, not at {number}: leave the number out, or choose another "
                "--data-dir"
            )

    def check_block(self, other: ForkBlock, address: str) -> None:
        kept = self.block
        if other == kept:
            return
        there = f"block {other.number} is 0x{other.hash.hex()} there"
        if other.chain_id != kept.chain_id:
            there = f"that is chain {other.chain_id}"
        raise errors.ConfigError(
            f"the chain in the data dir is a fork of chain {kept.chain_id} at block {kept.number}, "
            f"0x{kept.hash.hex()}, which {address} does not have ({there}): give --fork-url of a "
            "node that has it, or --offline"
        )

    def json(self) -> str:
        return json.dumps(
            {
                "chainId": self.block.chain_id,
                "number": self.block.number,
                "hash": self.block.hash.hex(),
                "followsHeights": self.follows_heights,
            }
        )


def open_fork(config: Config, data_dir: DataDir | None = None) -> tuple[Fork, Config]:
    kept = KeptFork.of(data_dir) if data_dir else None
    with ExitStack() as opened:
        file = _open_file(config, data_dir)
        if file:
            opened.callback(file.close)
        urls, at = _urls(config.fork_url)
        number = config.fork_block_number if at is None else at
        if kept:
            kept.check_number(number)
        upstream: Upstream | None = None
        if config.offline:
            answers: dict[UpstreamQuery, Any] = {}
            block, newest = kept.block if kept else _recorded_block(file, number), None
        else:
            upstream = _open_upstream(config, urls)
            opened.callback(upstream.close)
            if kept:
                number = kept.block.number
            elif config.fork_transaction_hash:
                number = _block_before(upstream, config.fork_transaction_hash)
            try:
                block, answers, newest = _ask_for_block(upstream, number)
            except errors.UpstreamUnreachable as error:
                raise _with_recorded(error, file, number) from None
            if kept:
                kept.check_block(block, upstream.address)
        cache = ForkCache(upstream, file, block)
        cache.add(answers)
        gas_limit = quantity(cache.get(block_query(block.number)).get("gasLimit"))
        if kept and config.hardfork == NEWEST:
            hardfork, by_heights = kept.hardfork, kept.follows_heights
        else:
            hardfork, by_heights = _hardfork(config, cache)
        forked_config = replace(
            config,
            chain_id=config.chain_id or block.chain_id,
            gas_limit=config.gas_limit or gas_limit,
            hardfork=hardfork,
            network=NETWORK_OF_CHAIN.get(block.chain_id, config.network),
        )
        if data_dir:
            data_dir.check_rules(forked_config, KeptFork(block, hardfork, by_heights).json())
        opened.pop_all()
    fork = Fork(cache, block, newest, urls, follows_heights=by_heights)
    return fork, forked_config


def _open_upstream(config: Config, urls: Sequence[str]) -> Upstream:
    headers = [text.partition(":") for text in config.fork_header]
    return Upstream(
        urls,
        headers=[(name, value.strip()) for name, _, value in headers],
        retries=config.retries,
        timeout=config.timeout,
        backoff=config.fork_retry_backoff,
        requests_per_second=config.fork_requests_per_second,
    )


def _open_file(config: Config, data_dir: DataDir | None) -> CacheFile | None:
    if not config.storage_caching and not config.fork_cache:
        return None
    if config.fork_cache:
        path = Path(config.fork_cache)
    else:
        path = data_dir.folder / CACHE_FILE if data_dir else default_path()
    if config.offline and not path.exists():
        raise errors.ConfigError(f"there is no fork cache {path}: {RECORD_ONE}")
    return CacheFile(path, logger.warning)


def _block_before(upstream: Upstream, transaction_hash: str) -> int:
    (answer,) = upstream.read(upstream_query("eth_getTransactionByHash", transaction_hash))
    if not answer or answer.get("blockNumber") is None:
        raise errors.ConfigError(
            f"{upstream.address} has not mined the transaction {transaction_hash}: give the hash of"
            " another one with --fork-transaction-hash"
        )
    return quantity(answer["blockNumber"]) - 1


def _ask_for_block(
    upstream: Upstream, number: int | None
) -> tuple[ForkBlock, dict[UpstreamQuery, Any], int | None]:
    # It takes two round trips, one if the number is known.
    newest = None
    if number is not None and number >= 0:
        query = block_query(number)
        chain_id, answer = upstream.read(CHAIN_ID, query)
    else:
        answers = upstream.ask([CHAIN_ID, BLOCK_NUMBER, CLIENT_VERSION])
        for first in (CHAIN_ID, BLOCK_NUMBER):
            if isinstance(answers[first], errors.UpstreamFailed):
                raise answers[first]
        chain_id, newest = answers[CHAIN_ID], quantity(answers[BLOCK_NUMBER])
        number = _fork_number(number, newest, quantity(chain_id), answers[CLIENT_VERSION])
        query = block_query(number)
        (answer,) = upstream.read(query)
    fork = ForkBlock(quantity(chain_id), number, data(answer["hash"], 32))
    return fork, {query: answer}, newest


def _fork_number(number: int | None, newest: int, chain_id: int, version: object) -> int:
    if number is None:
        mines_alone = chain_id in LOCAL_CHAINS or (
            isinstance(version, str) and DEVELOPMENT_NODE.match(version)
        )
        return max(newest - (0 if mines_alone else SAFE_DISTANCE), 0)
    if newest + number < 0:
        raise errors.UpstreamBlockUnknown(
            f"the chain to fork has no block {number}: its newest is {newest} "
            "(--fork-block-number, or URL@BLOCK)"
        )
    return newest + number


def _recorded_block(file: CacheFile | None, number: int | None) -> ForkBlock:
    assert file  # noqa: S101  # as the configuration has checked
    recorded = [row.fork for row in file.forks()]
    matching = [fork for fork in recorded if number in (None, fork.number)]
    if len(matching) == 1:
        return matching[0]
    listed = ", ".join(f"block {fork.number} of chain {fork.chain_id}" for fork in recorded)
    if matching:
        advice = "name the one to use with --fork-block-number"
        text = f"{file.path} has the forks at {listed}: {advice}"
        raise errors.ForkBlockAmbiguous(text, advice=advice)
    if not listed:
        raise errors.ConfigError(f"{file.path} has no fork: {RECORD_ONE}")
    raise errors.ConfigError(
        f"{file.path} has no fork at block {number}, only at {listed}: name that block, or "
        f"{RECORD_ONE}"
    )


def _with_recorded(
    error: errors.UpstreamUnreachable, file: CacheFile | None, number: int | None
) -> errors.UpstreamUnreachable:
    # A fork can be started offline if its block is recorded, and no other one of the same number.
    recorded = [row.fork for row in file.forks()] if file else []
    numbers = Counter(fork.number for fork in recorded)
    startable = [
        fork
        for fork in recorded
        if numbers[fork.number] == 1 and (number is None or number < 0 or fork.number == number)
    ]
    if file is None or not startable:
        return error
    blocks = [f"block {fork.number} of chain {fork.chain_id}" for fork in startable[-3:]]
    block = startable[-1].number
    advice = (
        f"start with --offline --fork-cache {file.path} --fork-block-number {block}, in Python "
        f"Node(offline=True, fork_cache={str(file.path)!r}, fork_block_number={block})"
    )
    text = f"{error}; {file.path} has {' and '.join(blocks)}: without the node, {advice}"
    return errors.UpstreamUnreachable(text, advice=advice, block=block)


def _urls(texts: Sequence[str]) -> tuple[list[str], int | None]:
    urls, numbers = [], set()
    for text in texts:
        url, separator, number = text.rpartition("@")
        if separator and number.lstrip("-").isdecimal():
            numbers.add(int(number))
            urls.append(url)
        else:
            urls.append(text)
    if len(numbers) > 1:
        raise errors.ConfigError("the fork-urls name different blocks: name one")
    return urls, numbers.pop() if numbers else None


def _hardfork(config: Config, cache: ForkCache) -> tuple[str, bool]:
    # On Rootstock's main and test network they do, unless the configuration has others than the
    # newest. A devchain node may have the chain id of one of them: it says which rules it has.
    block = cache.fork
    by_height = hardfork_at(block.chain_id, block.number + 1)
    if by_height is None:
        is_chosen = config.hardfork != NEWEST
        if block.chain_id != network("local").chain_id and not is_chosen:
            logger.warning(
                "chain %d is not Rootstock's main or test network: the fork has the rules of %s"
                " (--hardfork)",
                block.chain_id,
                config.hardfork,
            )
        return config.hardfork, False
    if config.hardfork != NEWEST:
        return config.hardfork, True
    if by_height != NEWEST:  # an old block, or one of a node that mines blocks of its own
        try:
            name = cache.get(CLIENT_VERSION)
        except errors.UpstreamFailed:
            name = None
        match = DEVCHAIN_NAME.match(name) if isinstance(name, str) else None
        if match and canonical(match[1]) in HARDFORKS:
            return canonical(match[1]), False
    return by_height, True
