"""The decoder of block parameters: a number, a tag, a hash, or an EIP-1898 object."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import cast

from devchain import errors
from devchain.presets.fields import BlockForm
from devchain.rpc.scalar_decoders import (
    DECIMAL,
    DecodeContext,
    Decoder,
    flag,
    hash32,
    known_members,
    member,
    quoted,
    uint64,
)
from devchain.types import BeforeTransaction, BlockHash, BlockRef, StateRef, Tag

TRANSACTION_INDEX = "transactionIndex"
HASH_HEX = re.compile(r"0x[0-9a-fA-F]{64}\Z")
TAGS = {tag.value: tag for tag in Tag}
UNSUPPORTED: dict[BlockForm, type[errors.UnsupportedBlock]] = {
    BlockForm.FINAL_TAG: errors.UnsupportedBlockTag,
    BlockForm.INTEGER: errors.UnsupportedBlockInteger,
    BlockForm.HASH: errors.UnsupportedBlockHash,
}


def block_hash(value: object, context: DecodeContext) -> BlockHash:
    return BlockHash(hash32(value, context))


def block_ref(value: object, context: DecodeContext) -> BlockRef:
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
    except errors.InvalidParams as error:
        raise errors.InvalidBlock(
            f"want a block number, tag or hash: {error}; tags are {', '.join(TAGS)}", value
        ) from error


def state_ref(value: object, context: DecodeContext) -> StateRef:
    """A block, or a place in it: an EIP-1898 object with Erigon's `transactionIndex` too.

    Its `blockNumber` may be a tag then.
    """
    if type(value) is str and (named := TAGS.get(value)) is not None:  # as most are
        return named
    if not isinstance(value, dict) or TRANSACTION_INDEX not in value:
        return block_ref(value, context)
    members = {name: each for name, each in value.items() if name != TRANSACTION_INDEX}
    tag = members.get("blockNumber")
    is_tag = isinstance(tag, str) and tag in TAGS and len(members) == 1
    block = block_ref(tag if is_tag else members, context)
    index = member(uint64, value, TRANSACTION_INDEX, context)
    return block if index is None else BeforeTransaction(block, index)


def block_ref_in(
    forms: Collection[BlockForm], decode: Decoder, value: object, context: DecodeContext
) -> BlockRef:
    """A block in one of those forms; a QUANTITY and the other tags are always allowed."""
    form = _form(value)
    if form in forms:
        value = hex(int(cast(str, value))) if form is BlockForm.DECIMAL else value
    elif form is not None:
        kind = UNSUPPORTED.get(form, errors.UnsupportedBlock)
        raise kind(f"want a block number as QUANTITY, or another tag, got {quoted(value)}", value)
    return cast(BlockRef, decode(value, context))


def _form(value: object) -> BlockForm | None:
    if not isinstance(value, str):
        return BlockForm.OBJECT if isinstance(value, dict) else BlockForm.INTEGER
    if value in {Tag.SAFE, Tag.FINALIZED}:
        return BlockForm.FINAL_TAG
    if HASH_HEX.match(value):
        return BlockForm.HASH
    return BlockForm.DECIMAL if DECIMAL.match(value) else None


def _block_object(value: dict[str, object], context: DecodeContext) -> BlockRef:
    # `requireCanonical` changes nothing, as every block of the chain is canonical: one that a
    # revert removed is unknown. It may be text, which is all that the real node accepts.
    members = known_members(value, ("blockHash", "blockNumber", "requireCanonical"))
    member(flag, members, "requireCanonical", context)
    if ("blockHash" in members) == ("blockNumber" in members):
        raise errors.InvalidBlockObject("want exactly one of blockHash and blockNumber", value)
    if "blockHash" in members:
        return BlockHash(member(hash32, members, "blockHash", context))
    return cast(int, member(uint64, members, "blockNumber", context))
