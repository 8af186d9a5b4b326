"""The storage of a contract by variable, of proxies with that of their implementations."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from eth_hash.auto import keccak

from devchain.chain.eth_call import Call, call_block
from devchain.chain.slices import SLOW, Slices
from devchain.contracts.artifacts import Artifact
from devchain.contracts.proxies import AccountReader
from devchain.contracts.proxies import implementations as find_implementations
from devchain.contracts.storage_names import WELL_KNOWN, StorageNames, TypedValue
from devchain.contracts.typed_arguments import account_text
from devchain.contracts.value_types import AddressText
from devchain.errors import (
    ExecutionTimedOut,
    InvalidInput,
    UnsupportedTransactionType,
    UpstreamFailed,
)
from devchain.node.address_history import Role
from devchain.node.core import NodeCore
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_transaction
from devchain.tracing.tracers import Difference
from devchain.types import (
    WORD_SIZE,
    Address,
    Hash32,
    StateRef,
    Tag,
    TransactionRequest,
    checksum,
)

REPLAYED = 10  # newest transactions of a contract that are executed again, for the keys of mappings
MAX_SLOTS = 300
RAW_SLOT = re.compile(r"(\d{1,77}|0x[0-9a-fA-F]{1,64})((?:\[[^\[\]]+\])*)")
KEY = re.compile(r"\[([^\[\]]+)\]")
READ_GAS = 100_000  # what a contract may use to name an implementation, a symbol, a getter's value

OPTIONS = TraceOptions("prestateTracer", diff_mode=True, keep_preimages=True)


@dataclass(frozen=True, slots=True)
class StorageSlot:
    """A slot, its word, and the variables in it; none if they are not known."""

    number: int
    word: int
    variables: Sequence[TypedValue]


@dataclass(frozen=True, slots=True)
class ContractStorage:
    """Slots of a contract in order.

    Keys of mappings are from the `replayed` newest transactions; `is_complete` is False if not all
    could be executed in time. `forked_at` is the fork block if keys may be older than it.
    """

    slots: Sequence[StorageSlot]
    replayed: int
    is_complete: bool
    forked_at: int | None = None


def difference_of(node: NodeCore, tx_hash: Hash32) -> Difference | None:
    def replay() -> Difference | None:
        trace = trace_transaction(node.chain, tx_hash, OPTIONS)
        return trace.accounts if trace and isinstance(trace.accounts, Difference) else None

    return node.explainer.replayed("difference", tx_hash, replay)


def storage_names(
    node: NodeCore,
    address: Address,
    preimages: Mapping[int, bytes],
    delegates: Mapping[Address, bytes],
    address_text: AddressText = checksum,
) -> StorageNames:
    """Names of the slots of a contract; `delegates` is other code that runs on its storage."""
    codes = {address: node.explainer.names().code_at(address), **delegates}
    artifacts = [compiled_artifact(node, code, runs) for runs, code in codes.items()]
    layouts = [artifact.storage_layout for artifact in artifacts if artifact]
    return StorageNames(layouts, preimages, address_text, node.artifacts.enum_text)


def storage_in_slices(
    node: NodeCore,
    address: Address,
    slots: Collection[int] | None = None,
    block: StateRef = Tag.LATEST,
    address_text: AddressText = checksum,
) -> Slices[ContractStorage]:
    """Slots of a contract in the state of a block, with the variables in them.

    Without `slots` these are the first `MAX_SLOTS` of the layout's variables, of its arrays'
    elements, and of those that the newest `REPLAYED` transactions wrote; of a proxy those of its
    implementation, too, which is what ran by delegation where no standard says it. Of one slot a
    long string is whole, of more its beginning.
    """
    history = yield from node.address_history.page_in_slices(
        address, count=REPLAYED, roles=Role.RECIPIENT | Role.CREATED | Role.INTERNAL
    )
    preimages: dict[int, bytes] = {}
    delegates: dict[Address, bytes] = {}
    written: set[int] = set()
    is_complete = True
    for appearance in history.appearances:
        yield SLOW
        try:
            changed = difference_of(node, appearance.receipt.transaction.hash)
        except (ExecutionTimedOut, UnsupportedTransactionType):
            is_complete = False
            break
        if changed:
            preimages |= changed.preimages
            delegates |= changed.delegates.get(address, {})
            for side in (changed.before, changed.after):
                written |= set(side[address].storage) if address in side else set()
    state = node.chain.state_at(block)
    if named := _named_implementations(node, address, block):
        code_at = node.explainer.names().code_at
        delegates = {runs: code_at(runs) for runs in named}  # and not those that were before them

    def read(slot: int) -> int:
        return state.storage(address, slot)

    def read_all() -> tuple[list[StorageSlot], int | None]:
        names = storage_names(node, address, preimages, delegates, address_text)
        shown = slots
        if shown is None:
            starts = names.starts[:MAX_SLOTS]
            known = {*written, *starts, *(slot for slot in WELL_KNOWN if named and read(slot))}
            known.update(inner for start in starts for inner in names.elements(start, read(start)))
            first = sorted(slot for slot in known if not names.is_content(slot))[:MAX_SLOTS]
            shown = [slot for slot in first if not names.is_removed(slot, read)]
        forked_at = None
        if node.fork and names.may_have_mappings:
            is_older = node.chain.state_at(node.fork.number).code(address)
            forked_at = node.fork.number if is_older else None
        words = [(slot, read(slot)) for slot in shown]
        whole = slots is not None and len(slots) == 1
        typed = [StorageSlot(*pair, names.typed(*pair, read, whole=whole)) for pair in words]
        return typed, forked_at

    read_slots, forked_at = node.chain.read_together(read_all)
    return ContractStorage(read_slots, len(history.appearances), is_complete, forked_at)


def names_at(
    node: NodeCore,
    address: Address,
    preimages: Mapping[int, bytes] = {},
    text: AddressText = checksum,
) -> StorageNames:
    """Names of the slots of a contract, and of those that it delegates to."""
    code_at = node.explainer.names().code_at
    delegates = {runs: code_at(runs) for runs in _named_implementations(node, address)}
    return storage_names(node, address, preimages, delegates, text)


def read_variable(
    node: NodeCore,
    address: Address,
    written: str,
    accounts: Sequence[Address],
    address_text: AddressText = checksum,
) -> list[TypedValue]:
    """The value of a variable, or of a mapping, `orders[0x12..][3]`; raises `InvalidInput`.

    A key that is an address may be the number of one of the `accounts`.
    """
    layouts = names_at(node, address)
    slots, preimages = layouts.keyed(written, lambda text: account_text(text, accounts))
    names = names_at(node, address, preimages, address_text)
    state = node.chain.state_at(Tag.LATEST)

    def read() -> list[TypedValue]:
        def word(slot: int) -> int:
            return state.storage(address, slot)

        words = [(slot, word(slot)) for slot in slots]
        return [value for pair in words for value in names.typed(*pair, word, whole=True)]

    return node.chain.read_together(read)


def raw_slot(written: str) -> int | None:
    """The slot of `5`, or of keys in a mapping there, `5[0x12..]["name"]`; None if it is none."""
    found = RAW_SLOT.fullmatch(written)
    if not found:
        return None
    slot = int(found[1], 16 if found[1].startswith("0x") else 10)
    for key in KEY.findall(found[2]):
        try:
            data = (
                key[1:-1].encode() if key[0] == '"' else (int(key, 0) % 2**256).to_bytes(WORD_SIZE)
            )
        except ValueError:
            raise InvalidInput(f'a key is a number, hex or "text", not {key[:60]!r}') from None
        slot = int.from_bytes(keccak(data + slot.to_bytes(WORD_SIZE)))
    return slot


def read_call(
    node: NodeCore, to: Address, data: bytes, block: StateRef = Tag.LATEST, gas: int = READ_GAS
) -> bytes:
    """What a call returns that is the node's own, for words alone; empty if it fails."""
    _, header = node.chain.block_for_calls(block)
    request = TransactionRequest(to=to, data=data)
    asked = Call(node.chain, call_block(node.chain, header), request, {})
    asked.is_counted = False
    result = asked.run(gas, pays=False)
    return b"" if result.failure else result.output


# Proxies


def implementations(
    node: NodeCore, address: Address, block: StateRef = Tag.LATEST
) -> list[Address]:
    """The contracts that run at an address by delegation, as far as names need them.

    Raises `ForkCacheMiss` where values may not be waited for.
    """
    state = node.chain.state_at(block)

    def slots(address: Address, wanted: Sequence[int]) -> list[int]:
        return node.chain.read_together(lambda: [state.storage(address, slot) for slot in wanted])

    reader = AccountReader(state.code, slots, lambda to, data: read_call(node, to, data, block))
    try:
        return find_implementations(address, reader)
    except UpstreamFailed:
        return []


def _named_implementations(
    node: NodeCore, address: Address, block: StateRef = Tag.LATEST
) -> list[Address]:
    # Without artifacts nothing of them has a name: a fork reads nothing upstream.
    return implementations(node, address, block) if node.artifacts.changes else []


def contracts_at(node: NodeCore, address: Address) -> list[tuple[Address, Artifact]]:
    """The known contracts that run at an address: its own, then those that it delegates to."""
    names = node.explainer.names()
    running = [address, *_named_implementations(node, address)]
    return [(runs, known) for runs in running if (known := names.artifact(runs))]


def compiled_artifact(node: NodeCore, code: bytes, address: Address) -> Artifact | None:
    if not node.artifacts.may_know(address):
        return None
    # One given for the address need not have its code: an ABI with a storage layout is enough.
    compiled = node.artifacts.compiled(code, address, creating=False)
    return compiled or node.artifacts.find_by_code(code, address)
