"""What the Bridge keeps between transactions: byte strings by name, in its account's storage.

The slot of a value is its name, in ASCII, as a number. The real node stores byte strings of any
length in a slot. Here they are laid out as Solidity lays out `bytes`: up to 31 bytes with twice
their length in the last byte, or twice the length plus one, with the bytes from slot
`keccak256(slot)` on. `rsk_getStorageBytesAt` returns the byte string for either layout.

On a fork of the real node's chain, what has not been written since is read from the upstream. What
has been written is at other slots (`slot_on_fork`), which are unused there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rlp
from eth_hash.auto import keccak
from rlp.exceptions import RLPException

from devchain.evm.rootstock.precompiles.native_contract import (
    WORD,
    Call,
    PrecompileFailed,
    PrecompileUnsupported,
    java_bytes,
)
from devchain.types import Address

ADDRESS = Address(bytes.fromhex("0000000000000000000000000000000001000006"))

SHORT = WORD - 1  # the longest byte string that is stored in one slot

MALFORMED = "a value in the bridge's storage is malformed"
MOST_BYTES = 2**20  # a greater length, of an edited slot, reads as an empty byte string


def slot_of(name: str) -> int:
    return int.from_bytes(name.encode(), "big")


def hashed_slot_of(name: str) -> int:
    """The slot of a value of the union bridge, whose names are hashed."""
    return int.from_bytes(keccak(name.encode()), "big")


CHANGED = hashed_slot_of("devchain-changed")
EMPTY = 1  # an empty byte string on a fork, where 0 stands for the upstream's


def read_bytes(read: Callable[[int], int], slot: int) -> bytes:
    """The byte string at a slot, empty if it was never written; `read` reads a slot."""
    head = read(slot)
    if not head & 1:
        size = (head & 0xFF) // 2
        return head.to_bytes(WORD, "big")[:size] if size <= SHORT else b""
    size = head // 2
    if not SHORT < size <= MOST_BYTES:
        return b""
    words = (read(each).to_bytes(WORD, "big") for each in _slots(slot, size))
    return b"".join(words)[:size]


def _slots(slot: int, size: int) -> list[int]:
    if size <= SHORT:
        return []
    first = int.from_bytes(keccak(slot.to_bytes(WORD, "big")), "big")
    return [(first + index) % 2**256 for index in range((size + WORD - 1) // WORD)]


def slot_on_fork(slot: int) -> int:
    """Where a fork of the real node's chain keeps a value that has been written there."""
    return hashed_slot_of(f"devchain-{slot}")


def is_changed(state: Any) -> bool:
    """Whether the Bridge of a fork of the real node's chain has been written to."""
    return _has_own(state, CHANGED)


def _has_own(state: Any, slot: int) -> bool:
    # The upstream is not asked for slots that only a fork has.
    accounts = state._account_db  # noqa: SLF001  # py-evm has no public name for it
    return accounts.has_own_slot(ADDRESS, slot) and bool(state.get_storage(ADDRESS, slot))


def load(call: Call, slot: int) -> bytes:
    state, upstream = call.state, call.upstream
    if upstream is not None:
        own = slot_on_fork(slot)
        if not _has_own(state, own):
            return upstream.storage_bytes(ADDRESS, slot)
        slot = own
    return read_bytes(lambda each: state.get_storage(ADDRESS, each), slot)


def store(call: Call, slot: int, value: bytes) -> None:
    state, size = call.state, len(value)
    if size > MOST_BYTES:
        raise PrecompileUnsupported(f"the Bridge stores up to {MOST_BYTES} bytes in one place")
    if call.upstream is not None:
        state.set_storage(ADDRESS, CHANGED, 1)
        slot = slot_on_fork(slot)
    before = read_bytes(lambda each: state.get_storage(ADDRESS, each), slot)
    for unused in _slots(slot, len(before))[len(_slots(slot, size)) :]:
        state.set_storage(ADDRESS, unused, 0)
    if not value and call.upstream is not None:
        state.set_storage(ADDRESS, slot, EMPTY)
    elif size <= SHORT:
        head = value.ljust(SHORT, b"\0") + bytes([2 * size])
        state.set_storage(ADDRESS, slot, int.from_bytes(head, "big"))
    else:
        state.set_storage(ADDRESS, slot, 2 * size + 1)
    for index, each in enumerate(_slots(slot, size)):
        word = value[WORD * index : WORD * (index + 1)].ljust(WORD, b"\0")
        state.set_storage(ADDRESS, each, int.from_bytes(word, "big"))


def load_rlp(call: Call, slot: int) -> Any:
    """A stored RLP item: bytes or nested lists; None if there is none."""
    encoded = load(call, slot)
    return decode(encoded) if encoded else None


def decode(encoded: bytes) -> Any:
    try:
        return rlp.decode(encoded)
    except (RLPException, RecursionError) as error:
        raise PrecompileFailed(MALFORMED) from error


def load_items(call: Call, slot: int, width: int, rest: int = 0) -> tuple[list[Any], list[Any]]:
    """A stored RLP list as groups of `width` items, and the `rest` after them, both maybe empty.

    Raises `PrecompileFailed` for a list of another length: only an edited slot holds one.
    """
    items = load_rlp(call, slot)
    if items is None:
        return [], []
    grouped = len(items) - rest
    if isinstance(items, bytes) or grouped < 0 or grouped % width:
        raise PrecompileFailed(MALFORMED)
    groups = [tuple(items[at : at + width]) for at in range(0, grouped, width)]
    return groups, list(items[grouped:])


def load_with_hashes(
    call: Call, slot: int, slot_with_hashes: int
) -> list[tuple[bytes, int, bytes | None]]:
    """Items with a number and the hash of a Rootstock transaction.

    Those from before Papyrus (RSKIP146) have no hash and are at the first slot.
    """
    groups = [(*each, None) for each in load_items(call, slot, 2)[0]]
    if call.since("papyrus"):
        groups += load_items(call, slot_with_hashes, 3)[0]
    return [
        (to_bytes(item), to_number(number), None if digest is None else to_bytes(digest, WORD))
        for item, number, digest in groups
    ]


def store_with_hashes(
    call: Call, slot: int, slot_with_hashes: int, entries: Sequence[tuple[bytes, int, bytes | None]]
) -> None:
    store_rlp(call, slot, items_of(entries, with_hashes=False))
    if call.since("papyrus"):
        store_rlp(call, slot_with_hashes, items_of(entries, with_hashes=True))


def items_of(
    entries: Sequence[tuple[bytes, int, bytes | None]], *, with_hashes: bool
) -> list[bytes]:
    """The RLP items of the entries that have a hash, or of those that have none."""
    return [
        item
        for raw, number, digest in entries
        if (digest is not None) == with_hashes
        for item in (raw, number_bytes(number), digest)
        if item is not None
    ]


def load_number(call: Call, slot: int) -> int | None:
    item = load_rlp(call, slot)
    return None if item is None else to_number(item)


def to_number(item: Any) -> int:
    return int.from_bytes(to_bytes(item), "big")


def to_bytes(item: Any, size: int | None = None) -> bytes:
    """The bytes of an RLP item; raises `PrecompileFailed` for a list or another size."""
    if not isinstance(item, bytes) or (size is not None and len(item) != size):
        raise PrecompileFailed(MALFORMED)
    return item


def store_rlp(call: Call, slot: int, item: Any) -> None:
    store(call, slot, rlp.encode(item))


def number_bytes(number: int) -> bytes:
    """A number as RLP has it; a negative one keeps its sign bit, which reading does not heed."""
    return java_bytes(number).removeprefix(b"\0")


def store_number(call: Call, slot: int, number: int) -> None:
    store_rlp(call, slot, number_bytes(number))
