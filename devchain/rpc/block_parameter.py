"""The decoder of block parameters: a number, a tag, a hash, or an EIP-1898 object."""

from __future__ import annotations

import re
from typing import cast

from devchain.errors import InvalidParams
from devchain.rpc.scalar_decoders import (
    DecodeContext,
    flag,
    hash32,
    known_members,
    member,
    uint64,
)
from devchain.types import BlockHash, BlockRef, Tag

HASH_HEX = re.compile(r"0x[0-9a-fA-F]{64}\Z")
TAGS = {tag.value: tag for tag in Tag}


def block_ref(value: object, context: DecodeContext) -> BlockRef:
    """A block by number, tag, 32-byte hash or EIP-1898 object."""
    if isinstance(value, str):
        tag = TAGS.get(value)
        if tag is not None:
            return tag
        if HASH_HEX.match(value):
            return BlockHash(hash32(value))
    if isinstance(value, dict):
        return _block_object(value, context)
    try:
        return uint64(value)
    except InvalidParams as error:
        raise InvalidParams(
            f"want a block number, tag or hash: {error}; tags are {', '.join(TAGS)}"
        ) from error


def _block_object(value: dict[str, object], context: DecodeContext) -> BlockRef:
    """The block of an EIP-1898 object.

    `requireCanonical` changes nothing, as every block of the chain is canonical: one that a revert
    removed is unknown. It may be text, which is all that the real node accepts.
    """
    members = known_members(value, ("blockHash", "blockNumber", "requireCanonical"))
    member(flag, members, "requireCanonical", context)
    if ("blockHash" in members) == ("blockNumber" in members):
        raise InvalidParams("want exactly one of blockHash and blockNumber")
    if "blockHash" in members:
        return BlockHash(member(hash32, members, "blockHash", context))
    return cast(int, member(uint64, members, "blockNumber", context))
