"""A whole node as one value: blocks, the states of every block, and what the rooms remember."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eth_hash.auto import keccak

from devchain.chain.block import Block
from devchain.chain.genesis import MAX_UINT64, number, put, read_accounts
from devchain.chain.receipts import encode, list_root
from devchain.chain.storage.block_encoding import BlockReader, encode_block
from devchain.errors import InvalidInput
from devchain.networks import canonical
from devchain.node.keystore import address_of, checked
from devchain.node.persistence.components import Rooms
from devchain.node.persistence.snapshot_json import Json, transaction_json
from devchain.types import Hash32


def load(rooms: Rooms, value: dict[str, Any]) -> None:
    """Give the accounts of anvil's dump their balance, nonce, code and storage.

    Chain time goes on from the dump's, if that is later. Raises `InvalidInput` for what is no such
    dump; then nothing has changed.
    """
    if not isinstance(value.get("accounts"), dict):
        msg = "not a dump this node knows: want what anvil_dumpState gave, here or from anvil"
        raise InvalidInput(msg)
    accounts = read_accounts(value.get("accounts"), "accounts")
    timestamp = _timestamp(value.get("block"))
    with rooms.chain.edit_state() as state:
        for address, account in accounts.items():
            put(state, address, account)
    if timestamp > rooms.clock.now():
        rooms.clock.jump(timestamp)


def _timestamp(block: Any) -> int:
    found = block.get("timestamp") if isinstance(block, dict) else None
    return 0 if found is None else number(found, MAX_UINT64, "block.timestamp")


MARK = "devchain"
FORMAT = 1


def write(rooms: Rooms) -> Json:
    """All of a node but its filters and open keys."""
    blocks = rooms.chain.blocks_after(-1)
    edited = rooms.chain.edited_roots()
    taken = rooms.snapshots.taken()
    roots = {each.state_root for each in blocks} | set(edited.values())
    roots |= {each["chain"].edited.root for each in taken.values() if each["chain"].edited}
    return {
        MARK: {"format": FORMAT, **_kind(rooms)},
        "blocks": [encode_block(each).hex() for each in blocks],
        "nodes": sorted(data.hex() for _, data in rooms.chain.parts(sorted(roots))),
        "edited": {each.hex(): root.hex() for each, root in sorted(edited.items())},
        "memory": rooms.write(rooms.present()),
        "pool": [transaction_json(tx) for tx in rooms.mempool.waiting()],
        "snapshots": {str(each): rooms.tokens.write(tokens) for each, tokens in taken.items()},
        "keys": rooms.keystores(),
    }


def _kind(rooms: Rooms) -> Json:
    """What has to be the same where a dump is loaded."""
    config = rooms.config
    return {
        "chain_id": config.effective_chain_id,
        "hardfork": canonical(config.hardfork),
        "remasc": config.remasc,
    }


def check_kind(rooms: Rooms, value: Json) -> None:
    """Raise `InvalidInput` for a dump of another format or other rules."""
    found, wanted = value[MARK], {"format": FORMAT, **_kind(rooms)}
    for name, want in wanted.items():
        got = found.get(name) if isinstance(found, dict) else None
        if got != want:
            msg = f"the dump has {name} {got!r:.40}, this node {want!r}: start one with the same"
            raise InvalidInput(msg)


def read(rooms: Rooms, value: Json) -> None:
    """Take the place of all a node has with what `write` wrote.

    What is read comes from strangers: whatever that raises, the node is then of no use.
    """
    blocks = list(_blocks(rooms, value["blocks"]))
    nodes: dict[Hash32, bytes] = {}
    for text in value["nodes"]:
        node = bytes.fromhex(text)
        nodes[Hash32(keccak(node))] = node
    edited = {_hash(each): _hash(root) for each, root in value["edited"].items()}
    found = map(checked, value["keys"].values())
    keys = {address_of(each): each for each in found}
    rooms.chain.begin_with(blocks, nodes, edited)
    rooms.accounts.put_back(keys)
    rooms.read(value["memory"])
    taken = {int(each): rooms.tokens.read(tokens) for each, tokens in value["snapshots"].items()}
    rooms.snapshots.put_back(taken, value["memory"]["last_snapshot"])
    rooms.fill_pool([rooms.tokens.transaction(each) for each in value["pool"]])


def check_states(rooms: Rooms) -> None:
    """Look at every part of every state; raises what reading a broken one raises."""
    roots = {each.state_root for each in rooms.chain.blocks_after(-1)}
    roots |= set(rooms.chain.edited_roots().values())
    held = (tokens["chain"].edited for tokens in rooms.snapshots.taken().values())
    for _ in rooms.chain.parts(roots | {each.root for each in held if each}):
        pass


def _blocks(rooms: Rooms, texts: list[Any]) -> Iterator[Block]:
    """The blocks of a chain, each on the one before it."""
    reader = BlockReader(rooms.chain.rules, rooms.config.effective_chain_id)
    before: Block | None = None
    for position, text in enumerate(texts):
        block = reader.read(bytes.fromhex(text))
        if not _follows(block, position, before):
            msg = f"block {position} of the dump does not fit: the dump is damaged"
            raise InvalidInput(msg)
        yield block
        before = block
    if before is None:
        msg = "the dump has no blocks"
        raise InvalidInput(msg)


def _follows(block: Block, position: int, before: Block | None) -> bool:
    header = block.header
    contents = (
        list_root([tx.raw for tx in block.transactions]),
        list_root([encode(each) for each in block.receipts]),
    )
    parent = (before.hash, before.total_difficulty) if before else (block.parent_hash, 0)
    return (
        block.number == position
        and (block.parent_hash, block.total_difficulty - header.difficulty) == parent
        and (bytes(header.transaction_root), bytes(header.receipt_root)) == contents
    )


def _hash(text: str) -> Hash32:
    found = bytes.fromhex(text)
    if len(found) != 32:
        msg = f"a hash has 32 bytes, not {len(found)}"
        raise InvalidInput(msg)
    return Hash32(found)
