"""The simulated Bitcoin as a component of a node: made at its first use, and part of snapshots."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import BitcoinUnavailable
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from devchain.networks import canonical, is_ethereum

if TYPE_CHECKING:
    # Which imports btclib: nothing of it is loaded before Bitcoin is used.
    from devchain.bitcoin.bitcoin_node import BitcoinCheckpoint, BitcoinNode


class BitcoinComponent:
    """Makes the Bitcoin node when it is first used; before that its checkpoint is None."""

    def __init__(self, config: Config, clock: Clock) -> None:
        self._config, self._clock = config, clock
        self._node: BitcoinNode | None = None
        self._after_block: Callable[[], None] | None = None

    def call_after_block(self, function: Callable[[], None]) -> None:
        """Let a function be called after each Bitcoin block; raises as `open`."""
        self._after_block = self.open().after_block = function

    def open(self) -> BitcoinNode:
        """The Bitcoin node; raises `BitcoinUnavailable` where the Bridge is not on regtest."""
        if self._node is None:
            config = self._config
            if is_ethereum(canonical(config.hardfork)):
                raise BitcoinUnavailable("Bitcoin is simulated beside Rootstock, not Ethereum")
            if not powpeg_of(config.effective_chain_id).is_regtest:
                raise BitcoinUnavailable(
                    f"Bitcoin is simulated on regtest: the Bridge of chain "
                    f"{config.effective_chain_id} begins with blocks of Bitcoin's own network; "
                    "start the node with --network local"
                )
            from devchain.bitcoin.bitcoin_node import BitcoinNode

            self._node = BitcoinNode(config.mnemonic, self._clock)
            self._node.after_block = self._after_block
        return self._node

    def reset(self) -> None:
        self._node = None

    # Snapshots

    def checkpoint(self) -> BitcoinCheckpoint | None:
        return self._node.checkpoint() if self._node else None

    def restore(self, checkpoint: BitcoinCheckpoint | None) -> None:
        if checkpoint is None:
            self._node = None
        else:
            self.open().restore(checkpoint)
