"""Methods of the Bridge by which accounts vote on a new federation and on the fee of peg-outs.

A vote is kept until a majority has voted for the same call; then the call is executed: it creates
the pending federation, adds a member to it, commits it, or rolls it back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import rlp
from coincurve import PublicKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bridge import federation, methods, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.federation import Federation, FederationMember
from devchain.evm.rootstock.precompiles.bridge.methods import local, peg_of, writing
from devchain.evm.rootstock.precompiles.bridge.releases import emit_before_papyrus
from devchain.evm.rootstock.precompiles.bridge.settings import FEE_PER_KILOBYTE
from devchain.evm.rootstock.precompiles.native_contract import Call, Method, PrecompileFailed
from devchain.types import Address

PENDING = storage.slot_of("pendingFederation")
PENDING_FORMAT = storage.slot_of("pendingFederationFormatVersion")
VOTES = storage.slot_of("federationElection")
FEE_VOTES = storage.slot_of("feePerKbElection")

LEAST_MEMBERS = 2
HASH_SIZE = 32

SUCCESS = 1
ALREADY_PENDING, ALREADY_AWAITING, ALREADY_RETIRING, ALREADY_PROPOSED = -1, -2, -3, -4
ALREADY_MEMBER = -2
TOO_FEW_MEMBERS, HASH_MISMATCHED = -2, -3
REJECTED = -10  # a malformed key, or a second vote

LARGEST_FEE = 5_000_000
FEE_NOT_POSITIVE, FEE_ALREADY_VOTED, FEE_TOO_LARGE = -1, -1, -2


# The pending federation


@dataclass(frozen=True)
class PendingFederation:
    """The members of a federation that voters put together, sorted."""

    members: tuple[FederationMember, ...] = ()

    @property
    def size(self) -> int:
        return len(self.members)

    @classmethod
    def load(cls, call: Call) -> PendingFederation | None:
        items = storage.load_rlp(call, PENDING)
        return None if items is None else cls(tuple(map(federation.read_member, items)))

    def store(self, call: Call) -> None:
        has_keys = call.since("wasabi")  # of each type
        items = [list(member) if has_keys else member.btc for member in self.members]
        _store_pending(call, rlp.encode(items))

    @property
    def hash(self) -> bytes:
        return keccak(rlp.encode([member.btc for member in self.members]))


def _store_pending(call: Call, encoded: bytes) -> None:
    # No bytes are no pending federation.
    if call.since("wasabi"):
        storage.store_number(call, PENDING_FORMAT, federation.Format.STANDARD)
    storage.store(call, PENDING, encoded)


# Votes


def _vote_for(  # noqa: PLR0913
    call: Call,
    slot: int,
    voters: frozenset[Address],
    subject: tuple[bytes, ...],
    change: Callable[[], None],
    *,
    ends_election: bool = True,
) -> bool:
    # Whether the sender had not voted so. A majority makes the change. The subject is what is voted
    # for: the name of a function and its arguments.
    votes: dict[tuple[bytes, ...], list[bytes]] = {}
    for spec, voted in storage.load_items(call, slot, 2)[0]:
        if isinstance(spec, bytes) or len(spec) != 2:
            raise PrecompileFailed("a vote in the bridge's storage is malformed")
        stored = (storage.to_bytes(spec[0]), *map(storage.to_bytes, spec[1]))
        votes[stored] = [storage.to_bytes(voter) for voter in voted]
    voted = votes.setdefault(subject, [])
    if call.sender in voted:
        return False
    voted.append(call.sender)
    if len(voted) > len(voters) // 2:
        del votes[subject]
        if ends_election:
            votes.clear()
        change()
    items: list[Any] = []
    for (name, *arguments), voted in sorted(votes.items(), key=_in_signed_order):
        items += [[name, arguments], sorted(voted)]
    storage.store_rlp(call, slot, items)
    return True


def _in_signed_order(vote: tuple[tuple[bytes, ...], Any]) -> bytes:
    # The real node compares bytes as signed numbers.
    return bytes(byte ^ 0x80 for byte in b"".join(vote[0]))


def _vote_fee(call: Call, fee: int) -> int:
    voters = peg_of(call).authorizers.fee_per_kilobyte
    if call.sender not in voters or not -(2**63) <= fee < 2**63:
        return methods.UNAUTHORIZED
    if fee <= 0:
        return FEE_NOT_POSITIVE
    if fee > LARGEST_FEE:
        return FEE_TOO_LARGE
    subject = (b"setFeePerKb", rlp.encode(storage.number_bytes(fee)))
    change = partial(storage.store_number, call, FEE_PER_KILOBYTE, fee)
    return SUCCESS if _vote_for(call, FEE_VOTES, voters, subject, change) else FEE_ALREADY_VOTED


Change = int | Callable[[], None]
"""A change that is voted on: the code why it cannot be made, or a function that makes it."""
Proposal = Callable[..., Change]


def _vote(declaration: str, gas: int, name: str, propose: Proposal, *since: str) -> Method:
    def answer(call: Call, *arguments: bytes) -> int:
        voters = peg_of(call).authorizers.federation
        if call.sender not in voters:
            return methods.UNAUTHORIZED
        change = propose(call, *arguments)
        if isinstance(change, int):
            return change
        subject, ends = (name.encode(), *arguments), not name.startswith("add")
        is_counted = _vote_for(call, VOTES, voters, subject, change, ends_election=ends)
        return SUCCESS if is_counted else REJECTED

    return writing(declaration, gas, answer, *since)


# Changes that are voted on


def _create(call: Call) -> Change:
    if PendingFederation.load(call) is not None:
        return ALREADY_PENDING
    if federation.proposed(call) is not None:
        return ALREADY_PROPOSED
    if federation.awaits_activation(call):
        return ALREADY_AWAITING
    if federation.retiring(call) is not None:
        return ALREADY_RETIRING
    return lambda: PendingFederation().store(call)


def _add(call: Call, *keys: bytes) -> Change:
    try:
        parsed = [PublicKey(key).format() for key in keys]
    except ValueError:
        return REJECTED
    added = FederationMember(*(parsed if len(parsed) == len(federation.KEY_TYPES) else parsed * 3))
    pending = PendingFederation.load(call)
    if pending is None:
        return methods.MISSING
    if any(new == old for each in pending.members for new, old in zip(added, each, strict=True)):
        return ALREADY_MEMBER
    members = tuple(sorted((*pending.members, added)))
    return lambda: PendingFederation(members).store(call)


def _commit(call: Call, pending_hash: bytes) -> Change:
    if len(pending_hash) != HASH_SIZE:
        raise PrecompileFailed(f"the hash of a pending federation has {HASH_SIZE} bytes")
    pending = PendingFederation.load(call)
    if pending is None:
        return methods.MISSING
    if len(pending.members) < LEAST_MEMBERS:
        return TOO_FEW_MEMBERS
    if pending.hash != pending_hash:
        return HASH_MISMATCHED
    return lambda: _commit_pending(call, pending)


def _rollback(call: Call) -> Change:
    if PendingFederation.load(call) is None:
        return methods.MISSING
    return lambda: _store_pending(call, b"")


def _commit_pending(call: Call, pending: PendingFederation) -> None:
    before, elected = federation.active(call), federation.elect(call, pending.members)
    if call.since("lovell"):
        federation.store_federation(call, federation.PROPOSED, elected)
    else:
        hand_over(call, elected)
    _store_pending(call, b"")
    activation_block = call.state.block_number + federation.activation_age(call)
    if call.since("papyrus"):
        parts = [part for each in (before, elected) for part in (b"".join(each.keys), each.address)]
        methods.COMMITTED.emit(call, *parts, activation_block)
    else:
        shown = [[each.script_hash, each.keys] for each in (before, elected)]
        data = [*shown, str(activation_block).encode()]
        emit_before_papyrus(call, "commit_federation_topic", data)


def hand_over(call: Call, elected: Federation) -> None:
    """Put a federation in force: it becomes active when it is old enough."""
    retired = federation.active(call)
    utxos.store_utxos(call, utxos.OLD, utxos.load_utxos(call, utxos.new_slot(call)))
    utxos.store_utxos(call, utxos.new_slot(call), [])
    federation.store_federation(call, federation.OLD, retired)
    federation.store_federation(call, federation.NEW, elected)
    if call.since("iris"):
        # As in the real node, of the new one if that is old enough already, validated late.
        active, is_default = federation.active(call), call.since("fingerroot")
        script = active.default_output_script if is_default else active.output_script
        storage.store_rlp(call, federation.LAST_RETIRED_SCRIPT, [script])
        storage.store_number(call, federation.NEXT_CREATION_BLOCK, elected.block_number)


_pending = partial(federation.reads, PendingFederation.load)

METHODS = (
    local("getPendingFederationHash() -> bytes", 3_000, _pending("hash")),
    local("getPendingFederationSize() -> int256", 3_000, _pending("size")),
    local("getPendingFederatorPublicKey(int256) -> bytes", 3_000, _pending("key"), "orchid",
          "wasabi"),
    local("getPendingFederatorPublicKeyOfType(int256,string) -> bytes", 3_000, _pending("key"),
          "wasabi"),
    _vote("createFederation() -> int256", 11_000, "create", _create),
    _vote("addFederatorPublicKey(bytes) -> int256", 13_000, "add", _add, "orchid", "wasabi"),
    _vote("addFederatorPublicKeyMultikey(bytes,bytes,bytes) -> int256", 13_000, "add-multi", _add,
          "wasabi"),
    _vote("commitFederation(bytes) -> int256", 38_000, "commit", _commit),
    _vote("rollbackFederation() -> int256", 12_000, "rollback", _rollback),
    writing("voteFeePerKbChange(int256) -> int256", 10_000, _vote_fee),
)  # fmt: skip
