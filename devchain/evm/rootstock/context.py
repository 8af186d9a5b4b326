"""What a contract can learn of the chain around it, beyond py-evm's execution context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eth.vm.chain_context import ChainContext
from eth.vm.execution_context import ExecutionContext

from devchain.types import Hash32


class ChainView(ChainContext):
    """The chain id, and the blocks of the chain by hash."""

    def __init__(self, chain_id: int, find_block: Callable[[Hash32], Any]) -> None:
        """`find_block` gives a block with its `header` and merged-mining data, or None."""
        super().__init__(chain_id)
        self.find_block = find_block


class RootstockContext(ExecutionContext):
    """An execution context from which precompiled contracts reach earlier blocks."""

    def __init__(self, view: ChainView, **values: Any) -> None:
        """Add a view of the chain to what py-evm's context holds."""
        super().__init__(chain_id=view.chain_id, **values)
        self.view = view
