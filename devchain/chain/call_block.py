"""The block a call runs in: one of the chain's, or what block overrides make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eth.constants import MAX_PREV_HEADER_DEPTH

from devchain.chain.chain import Chain
from devchain.types import ZERO_HASH, BlockOverride, Hash32


@dataclass(frozen=True, slots=True)
class CallBlock:
    """Its header, and what BLOCKHASH sees before it, newest first, if not the chain's own."""

    header: Any
    hashes: tuple[Hash32, ...] | None = None


def call_block(chain: Chain, header: Any, override: BlockOverride | None = None) -> CallBlock:
    """The block of that header with the overrides; its state stays that of the header.

    Numbers up to the header's have the hashes of the chain, later ones none.
    """
    if override is None:
        return CallBlock(header)
    changed = chain.rules.overridden(header, override)
    if override.number is None and not override.hashes:
        return CallBlock(changed)
    newest = changed.block_number - 1
    numbers = range(newest, max(-1, newest - MAX_PREV_HEADER_DEPTH), -1)
    known = {number: chain.block(number).hash for number in numbers if number < header.block_number}
    known |= override.hashes
    return CallBlock(changed, tuple(known.get(number, ZERO_HASH) for number in numbers))
