"""Dumps: a whole node as one value (`anvil_dumpState`), and its file format, gzip around JSON.

devchain's own dumps have the blocks, the states of every block, and the node's settings, mempool,
snapshots and keys. A fork's dump has its own blocks, the changes of the upstream's state, and the
fork block: it is loaded on the same fork. Only the accounts of anvil's dumps are read.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak

from devchain import files
from devchain.chain.block import Block
from devchain.chain.genesis import number, parse, read_accounts
from devchain.chain.receipts import has_own_roots
from devchain.chain.storage.block_encoding import BlockDecoder, encode_block
from devchain.errors import ConfigError, InvalidInput, LimitExceeded
from devchain.networks import DEFAULT_FEDERATORS, canonical
from devchain.node.keystore import check_keystore, keystore_address
from devchain.node.node_codec import Json, NodeCodec, from_json, to_json, transaction_json
from devchain.state.state_view import apply_overrides
from devchain.types import MAX_UINT64, Hash32

KIND = "devchain"  # the member that only our dumps have: their format and the rules of their chain
FORMAT = 1
REMEDIES = {
    "format": "load it with the version of devchain that wrote it",
    "fork": "start the node with --fork-url URL@NUMBER of the dump's fork, or without",
    "chain_id": "start the node with the dump's --network or --chain-id",
    "hardfork": "start the node with the dump's --hardfork",
    "remasc": "start the node with --remasc or --no-remasc as the dump's",
    "federators": "start the node with the dump's --federators",
}

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 16 + zlib.MAX_WBITS
MAX_DUMP = 512 * 1024 * 1024  # bytes a dump may have once it is unpacked


# Our dumps


def write_dump(codec: NodeCodec) -> bytes:
    """All of a node but its filters and unlocked keys; equal nodes give equal bytes."""
    chain, snapshots = codec.node.chain, codec.snapshots.all()
    dump = {
        KIND: {"format": FORMAT, **_kind(codec)},
        "blocks": [encode_block(block).hex() for block in chain.own_blocks()],
        "nodes": sorted(data.hex() for _, data in chain.state_nodes(_state_roots(codec))),
        "edited": to_json(dict(sorted(chain.edited_roots().items()))),
        "settings": codec.write_settings(codec.settings()),
        "bitcoin": [raw.hex() for raw in dict(codec.bitcoin_blocks()).values()],
        "pool": [transaction_json(tx) for tx in codec.node.mempool.transactions()],
        "snapshots": {
            str(number): codec.write_snapshot(snapshot) for number, snapshot in snapshots.items()
        },
        "keys": codec.keystores(),
    }
    return gzip.compress(json.dumps(dump, separators=(",", ":")).encode(), mtime=0)


def _state_roots(codec: NodeCodec) -> Iterable[Hash32]:
    # In the order of the blocks: the nodes of a state in a run are made from those of the one
    # before.
    chain = codec.node.chain
    edits = [snapshot.chain.edited for snapshot in codec.snapshots.all().values()]
    roots = [block.state_root for block in chain.own_blocks()]
    roots += chain.edited_roots().values()
    return dict.fromkeys(roots + [edit.root for edit in edits if edit])


def _kind(codec: NodeCodec) -> Json:
    config, fork = codec.config, codec.node.chain.fork
    kind: Json = {
        "chain_id": config.effective_chain_id,
        "hardfork": canonical(config.hardfork),
        "remasc": config.remasc,
    }
    if config.federators != DEFAULT_FEDERATORS:
        kind["federators"] = config.federators
    if fork is not None:
        block = fork.block
        kind["fork"] = {
            "chain_id": block.chain_id,
            "number": block.number,
            "hash": block.hash.hex(),
        }
    return kind


def check_kind(codec: NodeCodec, dump: Json) -> None:
    """Raise `InvalidInput` for a dump of ours in another format or of a chain of other rules."""
    kind = dump[KIND] if isinstance(dump[KIND], dict) else {}
    for name, wanted in {
        "format": FORMAT,
        "fork": None,
        "federators": None,
        **_kind(codec),
    }.items():
        if (got := kind.get(name)) != wanted:
            raise InvalidInput(
                f"the dump has {name} {got!r:.200}, this node {wanted!r}: {REMEDIES[name]}"
            )


def load_dump(codec: NodeCodec, dump: Json) -> None:
    """Replace all of a node with what `write_dump` wrote.

    A damaged or forged dump can raise an error of any type, and leaves the node unusable.
    """
    node = codec.node
    blocks = list(_blocks(codec, dump["blocks"]))
    state_nodes = {Hash32(keccak(data)): data for data in map(bytes.fromhex, dump["nodes"])}
    edited = from_json(dict[Hash32, Hash32], dump["edited"])
    keystores = map(check_keystore, dump["keys"].values())
    keys = {keystore_address(keystore): keystore for keystore in keystores}
    node.chain.replace_blocks(blocks, state_nodes, edited)
    node.accounts.load_keystores(keys)
    codec.load_bitcoin_blocks(map(bytes.fromhex, dump.get("bitcoin", [])))
    codec.restore_settings(dump["settings"])
    snapshots = {
        int(snapshot_id): codec.read_snapshot(text)
        for snapshot_id, text in dump["snapshots"].items()
    }
    codec.snapshots.load(snapshots, dump["settings"]["last_snapshot"])
    codec.restore_mempool([codec.read_transaction(tx) for tx in dump["pool"]])


def check_states(codec: NodeCodec) -> None:
    """Read every part of every state; raises what reading a damaged one raises."""
    for _ in codec.node.chain.state_nodes(_state_roots(codec)):
        pass


def _blocks(codec: NodeCodec, texts: list[Any]) -> Iterator[Block]:
    decoder = BlockDecoder(codec.node.chain.rules, codec.config.effective_chain_id)
    chain = codec.node.chain
    parent = chain.block(chain.first) if chain.fork else None
    first = chain.first + 1 if chain.fork else 0
    for position, text in enumerate(texts, first):
        block = decoder.decode_block(bytes.fromhex(text))
        if not _is_next(block, position, parent):
            raise InvalidInput(f"block {position} of the dump does not fit: the dump is damaged")
        yield block
        parent = block
    if parent is None:
        raise InvalidInput("the dump has no blocks")


def _is_next(block: Block, position: int, parent: Block | None) -> bool:
    before = block.parent_hash, block.total_difficulty - block.header.difficulty
    wanted = (parent.hash, parent.total_difficulty) if parent else (block.parent_hash, 0)
    return block.number == position and before == wanted and has_own_roots(block)


# anvil's dumps


def load_anvil_dump(codec: NodeCodec, dump: Json) -> None:
    """Set the accounts of anvil's dump; chain time continues from the dump's if that is later."""
    if not isinstance(dump.get("accounts"), dict):
        raise InvalidInput(
            "not a dump this node knows: want what anvil_dumpState gave, here or from anvil"
        )
    accounts = read_accounts(dump["accounts"], "accounts")
    block = dump.get("block")
    timestamp = block.get("timestamp") if isinstance(block, dict) else None
    if timestamp is not None:
        timestamp = number(timestamp, MAX_UINT64, "block.timestamp")

    def write(state: Any) -> None:
        for address in accounts:
            state.touch_account(address)
        apply_overrides(state, accounts)

    codec.node.chain.write_accounts(write)
    if timestamp is not None and timestamp > codec.node.clock.now():
        codec.node.clock.jump(timestamp)


# Dumps as bytes and as files


def unpack(packed: bytes) -> Json:
    """The JSON object in those bytes; raises `InvalidInput` or `LimitExceeded`."""
    text = _gunzip(packed) if packed.startswith(GZIP_MAGIC) else packed
    try:
        value = parse(text)
    except ValueError as error:
        raise InvalidInput(f"not a dump: want JSON, or gzip of it: {str(error)[:100]}") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"not a dump: want a JSON object, got a {type(value).__name__}")
    return value


def _gunzip(packed: bytes) -> bytes:
    decompressor = zlib.decompressobj(GZIP_WINDOW)
    try:
        text = decompressor.decompress(packed, MAX_DUMP)
    except zlib.error as error:
        raise InvalidInput(f"not a dump: the gzip around it is damaged: {error}") from error
    if decompressor.unconsumed_tail:
        raise LimitExceeded(
            f"the dump is too large: it has more than {MAX_DUMP // 2**20} MiB unpacked"
        )
    if not decompressor.eof:
        raise InvalidInput("not a dump: the gzip around it ends too early")
    return text


def read_file(path: Path) -> bytes:
    """The dump in a file, which may be hex as JSON-RPC writes it; raises `ConfigError`."""
    try:
        content = files.read_file(path, MAX_DUMP)
        return bytes.fromhex(content[2:].decode()) if content.startswith(b"0x") else content
    except OSError as error:
        raise ConfigError(f"load-state {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(
            f"load-state {path} is no dump: it begins like hex, but is none"
        ) from error


def check_path(path: Path) -> None:
    """Raise `ConfigError` at the start of a node whose dump could not be written at its end."""
    # Permissions do not tell of read-only disks or too long names.
    probe = path.with_name(f"{path.name}.probe")
    try:
        if path.is_dir():
            raise ConfigError(f"dump-state {path} is a folder: name a file in it")
        files.write_private(probe, b"")
        probe.unlink()
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from None


def write_file(path: Path, packed: bytes) -> None:
    """Write a dump to a file, completely or not at all; raises `ConfigError`."""
    try:
        files.write_private(path, packed)
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError | ValueError) -> ConfigError:
    reason = getattr(error, "strerror", None) or str(error)
    return ConfigError(
        f"dump-state {path} cannot be written ({reason}): name a file in a folder where you may"
        " write"
    )
