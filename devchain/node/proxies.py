"""The implementations of proxies, as the state after a block names them, and their artifacts."""

from __future__ import annotations

from collections.abc import Sequence

from devchain.chain.eth_call import Call, call_block
from devchain.contracts.artifacts import Artifact
from devchain.contracts.proxies import AccountReader
from devchain.contracts.proxies import implementations as find_implementations
from devchain.errors import UpstreamFailed
from devchain.node.core import NodeCore
from devchain.types import Address, StateRef, Tag, TransactionRequest

BEACON_GAS = 100_000
"""What a beacon may use to name the implementation."""


def implementations(
    node: NodeCore, address: Address, block: StateRef = Tag.LATEST
) -> list[Address]:
    """The contracts that run at an address by delegation; none for a node that knows no contracts.

    They are wanted for names: none, too, where a fork's upstream does not say. Raises
    `ForkCacheMiss` where values may not be waited for.
    """
    if not node.artifacts.changes:
        return []
    state, fork = node.chain.state_at(block), node.fork

    def slots(address: Address, wanted: Sequence[int]) -> list[int]:
        def read() -> list[int]:
            return [state.storage(address, slot) for slot in wanted]

        return fork.speculation.complete(read) if fork else read()

    def call(to: Address, data: bytes) -> bytes:
        _, header = node.chain.block_for_calls(block)
        request = TransactionRequest(to=to, data=data)
        asked = Call(node.chain, call_block(node.chain, header), request, {})
        asked.is_counted = False
        result = asked.run(BEACON_GAS, pays=False)
        return b"" if result.failure else result.output

    try:
        return find_implementations(address, AccountReader(state.code, slots, call))
    except UpstreamFailed:
        return []


def contracts_at(
    node: NodeCore, address: Address, block: StateRef = Tag.LATEST
) -> list[tuple[Address, Artifact]]:
    """The known contracts that run at an address: its own, then those that it delegates to."""
    names = node.explainer.names()
    found = [address, *implementations(node, address, block)]
    return [(each, known) for each in found if (known := names.artifact(each))]


def compiled_artifact(node: NodeCore, code: bytes, address: Address) -> Artifact | None:
    """The artifact of the code at an address, with what files have of it beyond names."""
    if not node.artifacts.may_know(address):
        return None
    # One given for the address need not have its code: an ABI with a storage layout is enough.
    compiled = node.artifacts.compiled(code, address, creating=False)
    return compiled or node.artifacts.find_by_code(code, address)
