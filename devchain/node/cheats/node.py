"""What cheats ask of the node they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devchain.chain.chain import Chain
from devchain.clock import Clock
from devchain.config import Config
from devchain.contracts.registry import Registry
from devchain.node.accounts import Accounts
from devchain.node.filters import FilterRegistry
from devchain.node.mempool import Mempool
from devchain.node.miner import Miner
from devchain.node.signer import Signer
from devchain.node.snapshots import NodeComponents, SnapshotStore
from devchain.types import Hash32, LogQuery, TransactionRequest


class AnyNode:
    """The rooms of a node, and what it does with several of them, for what is built under it."""

    config: Config
    clock: Clock
    accounts: Accounts
    chain: Chain
    mempool: Mempool
    miner: Miner
    filters: FilterRegistry
    components: NodeComponents
    snapshots: SnapshotStore
    artifacts: Registry
    signer: Signer
    send: Callable[[TransactionRequest], Hash32]
    call: Callable[..., bytes]
    estimate: Callable[..., int]
    logs: Callable[[LogQuery], Any]
    revert: Callable[[int], bool]
    on_head_changed: Callable[[], None]
    persist: Callable[[], None]
