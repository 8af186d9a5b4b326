"""Federations: their members and scripts, which are in force, and methods that read them.

An election (`elections`) makes a new federation. It becomes active when it is old enough; until
then the one before it is active, afterwards that one retires. Without an election the federation
is the one of the genesis block.

Up to Papyrus a script asks for the signatures of a majority of the federation. Since Iris
(RSKIP201) a majority of emergency keys can sign instead, once an output is old enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import rlp
from coincurve import PublicKey
from eth_hash.auto import keccak

from devchain.errors import UpstreamAnswerInvalid
from devchain.evm.rootstock.precompiles import native_contract
from devchain.evm.rootstock.precompiles.bitcoin import base58check
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    erp_script,
    multisig_script,
    p2sh_output_script,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bridge import storage
from devchain.evm.rootstock.precompiles.bridge.methods import MISSING, local, peg_of, reading
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import Call, Malformed, PrecompileFailed
from devchain.evm.rootstock.precompiles.powpeg import CREATION_BLOCK
from devchain.types import Address

if TYPE_CHECKING:
    from devchain.state.upstream_state import UpstreamState  # which imports the upstream's client

SIZE = keccak(b"getFederationSize()")[: native_contract.SELECTOR]
KEY_OF_TYPE = keccak(b"getFederatorPublicKeyOfType(int256,string)")[: native_contract.SELECTOR]
LARGEST_FEDERATION = 100  # more members would not fit into a peg-out transaction
KEY_TYPES = ("btc", "rsk", "mst")
KEY_SIZE = 33
MOST_KEYS = 20  # of OP_CHECKMULTISIG
FLYOVER_PREFIX = 34  # bytes that a flyover script has before the federation's
LARGEST_IN_SCRIPT_SIG = 520 - FLYOVER_PREFIX
LARGEST_IN_WITNESS = 3_600 - FLYOVER_PREFIX
MOST_ACCOUNTS = 1_000  # that are kept: a federation's are asked for in every block


class Format(IntEnum):
    """What kind of script a federation has; the numbers are those in the Bridge's storage."""

    STANDARD = 1000
    NON_STANDARD_ERP = 2000
    P2SH_ERP = 3000
    P2SH_P2WSH_ERP = 4000


def parse_key(key: bytes) -> PublicKey:
    """A public key; raises `Malformed`."""
    try:
        return PublicKey(key)
    except ValueError as error:
        raise Malformed("a public key is malformed") from error


@lru_cache(MOST_ACCOUNTS)
def account_of(key: bytes) -> Address:
    """The account of a public key; raises `Malformed`."""
    return Address(keccak(parse_key(key).format(compressed=False)[1:])[12:])


class FederationMember(NamedTuple):
    """The compressed public keys of a federator; members are sorted by them."""

    btc: bytes
    rsk: bytes
    mst: bytes

    @property
    def account(self) -> Address:
        """The account of the key for Rootstock; raises `Malformed` for no public key."""
        return account_of(self.rsk)


@dataclass(frozen=True)
class Federation:
    """A federation whose members hold the peg's bitcoins.

    `created` is in milliseconds since 1970, `block_number` is of the Rootstock block in which it
    was created. `script_version` is of its address.
    """

    members: tuple[FederationMember, ...]
    created: int
    block_number: int
    format: Format
    redeem_script: bytes
    script_version: int

    @property
    def size(self) -> int:
        return len(self.members)

    @property
    def threshold(self) -> int:
        """How many signatures spend the federation's outputs: of more than half of the members."""
        return self.size // 2 + 1

    @property
    def keys(self) -> list[bytes]:
        return [member.btc for member in self.members]

    @property
    def accounts(self) -> tuple[Address, ...]:
        return tuple(member.account for member in self.members)

    @property
    def is_segwit(self) -> bool:
        """Whether signatures and redeem script are in the witness of an input."""
        return self.format is Format.P2SH_P2WSH_ERP

    @property
    def default_redeem_script(self) -> bytes:
        """The part of the redeem script that the federation signs for, as a script of its own."""
        return multisig_script(self.threshold, self.keys)

    @cached_property
    def output_script(self) -> bytes:
        return self.output_script_of(self.redeem_script)

    @property
    def script_hash(self) -> bytes:
        return self.output_script[2:-1]

    @property
    def default_output_script(self) -> bytes:
        return self.output_script_of(self.default_redeem_script)

    def output_script_of(self, redeem_script: bytes) -> bytes:
        """The script of outputs to another redeem script, in the format of the federation's."""
        inner = witness_program(redeem_script) if self.is_segwit else redeem_script
        return p2sh_output_script(inner)

    @property
    def address(self) -> str:
        return base58check(bytes([self.script_version]) + self.script_hash)


def build_federation(
    call: Call, members: Iterable[FederationMember], created: int, block_number: int, kind: Format
) -> Federation:
    """A federation of that kind on the call's network; raises `PrecompileFailed` for too many."""
    peg, ordered = peg_of(call), tuple(sorted(members))
    script = _redeem_script(call, [member.btc for member in ordered], kind)
    return Federation(ordered, created, block_number, kind, script, peg.script_version)


def elect(call: Call, members: Iterable[FederationMember]) -> Federation:
    """The federation that members form under the upgrade in force."""
    formats = {
        "reed": Format.P2SH_P2WSH_ERP,
        "fingerroot": Format.P2SH_ERP,
        "iris": Format.NON_STANDARD_ERP,
        "orchid": Format.STANDARD,
    }
    kind = next(kind for upgrade, kind in formats.items() if call.since(upgrade))
    # Before Lovell (RSKIP419) the real node takes seconds for milliseconds.
    created = call.state.timestamp * (1000 if call.since("lovell") else 1)
    return build_federation(call, members, created, call.state.block_number, kind)


def _redeem_script(call: Call, keys: list[bytes], kind: Format) -> bytes:
    peg = peg_of(call)
    if len(keys) > MOST_KEYS:
        raise PrecompileFailed(f"a script asks for the signatures of at most {MOST_KEYS} keys")
    by_members = multisig_script(len(keys) // 2 + 1, keys)
    if kind is Format.STANDARD:
        return by_members
    if kind is Format.NON_STANDARD_ERP and peg.is_test and not call.since("fingerroot"):
        return _TESTNET_SCRIPT_OF_IRIS
    emergency_keys = list(map(bytes.fromhex, peg.emergency_keys))
    by_emergency = multisig_script(len(emergency_keys) // 2 + 1, emergency_keys)
    delay = native_contract.java_bytes(peg.emergency_delay)[::-1]
    if kind is Format.NON_STANDARD_ERP:
        # Iris had the bytes in the wrong order (RSKIP293). OP_CHECKMULTISIG is at the end.
        if not call.since("fingerroot"):
            delay = peg.emergency_delay.to_bytes(2)
        script = erp_script(by_members[:-1], by_emergency[:-1], delay) + by_members[-1:]
    else:
        script = erp_script(by_members, by_emergency, delay)
    largest = LARGEST_IN_WITNESS if kind is Format.P2SH_P2WSH_ERP else LARGEST_IN_SCRIPT_SIG
    if len(script) > largest:
        raise PrecompileFailed(f"the federation's redeem script has more than {largest} bytes")
    return script


# The script that testnet had for any federation under Iris (RSKIP284).
_TESTNET_SCRIPT_OF_IRIS = bytes.fromhex(
    "6453210208f40073a9e43b3e9103acec79767a6de9b0409749884e989960fee578012fce210225e89239162585"
    "4128c5c4ea4340de0c2a70570f33db53426fc9c746597a03f42102afc230c2d355b1a577682b07bc2646041b5d"
    "0177af0f98395a46018da699b6da210344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd"
    "0f2a0921039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb955670300cd50b275"
    "52210216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3210275562901dd8faae2"
    "0de0a4166362a4f82188db77dbed4ca887422ea1ec185f1421034db69f2112f4fb1bb6141bf6e2bd6631f0484d"
    "0bd95b16767902c9fe219d4a6f5368ae"
)


# Storage


class _Place(NamedTuple):
    federation: int
    format: int


def _place(name: str) -> _Place:
    return _Place(storage.slot_of(name), storage.slot_of(f"{name}FormatVersion"))


NEW, OLD, PROPOSED = map(_place, ("newFederation", "oldFederation", "proposedFederation"))

ACTIVE_CREATION_BLOCK = storage.slot_of("activeFedCreationBlockHeight")
NEXT_CREATION_BLOCK = storage.slot_of("nextFedCreationBlockHeight")
LAST_RETIRED_SCRIPT = storage.slot_of("lastRetiredFedP2SHScript")


def load_federation(call: Call, place: _Place) -> Federation | None:
    items = storage.load_rlp(call, place.federation)
    if items is None:
        return None
    if isinstance(items, bytes) or len(items) != 3:
        raise PrecompileFailed(storage.MALFORMED)
    created, block_number, members = items
    kind = storage.load_number(call, place.format)
    if kind is None and place is PROPOSED:
        raise PrecompileFailed(storage.MALFORMED)
    if kind is not None:
        members = [storage.decode(storage.to_bytes(member)) for member in members]
    read = map(read_member, members)
    known = Format(kind) if kind in set(Format) else Format.STANDARD
    return build_federation(call, read, _long(created), _long(block_number), known)


def _long(item: Any) -> int:
    return (storage.to_number(item) + 2**63) % 2**64 - 2**63  # as Java reads it


def read_member(item: Any) -> FederationMember:
    """A member of RLP's list of three keys, or of the one that all three are before Wasabi.

    Raises `PrecompileFailed`.
    """
    keys = item if isinstance(item, list) else [item] * len(KEY_TYPES)
    if len(keys) != len(KEY_TYPES):
        raise PrecompileFailed(storage.MALFORMED)
    return FederationMember(*(storage.to_bytes(key, KEY_SIZE) for key in keys))


def store_federation(call: Call, place: _Place, federation: Federation | None) -> None:
    if federation is None and place is PROPOSED:
        storage.store(call, place.format, b"")
    elif call.since("wasabi"):
        kind = federation.format if federation else Format.STANDARD
        storage.store_number(call, place.format, kind)
    if federation is None:
        storage.store(call, place.federation, b"")
        return
    members = [
        rlp.encode(list(member)) if call.since("wasabi") else member.btc
        for member in federation.members
    ]
    items = [
        storage.number_bytes(federation.created),
        storage.number_bytes(federation.block_number),
        members,
    ]
    storage.store_rlp(call, place.federation, items)


# Federations in force


def active(call: Call) -> Federation:
    """The federation that signs peg-outs, to whose address peg-ins are sent."""
    return live(call)[0]


def retiring(call: Call) -> Federation | None:
    """The federation before the active one, while its funds migrate."""
    return next(iter(live(call)[1:]), None)


def awaits_activation(call: Call) -> bool:
    """Whether there is a newer federation than the active one."""
    new, old = load_federation(call, NEW), load_federation(call, OLD)
    return new is not None and old is not None and not is_old_enough(call, new)


def proposed(call: Call) -> Federation | None:
    """An elected federation that has yet to show that it can sign, since Lovell (RSKIP419)."""
    return load_federation(call, PROPOSED) if call.since("lovell") else None


def live(call: Call) -> list[Federation]:
    """The active federation, then the retiring one if there is one."""
    new, old = load_federation(call, NEW), load_federation(call, OLD)
    if new is None:
        return [_genesis(call)]
    if old is None:
        return [new]
    return [new, old] if is_old_enough(call, new) else [old]


def last_retired_script(call: Call) -> bytes | None:
    """The output script of the last federation that was replaced, kept since Iris (RSKIP186).

    Since Fingerroot (RSKIP377) it is the script without emergency keys.
    """
    items = storage.load_rlp(call, LAST_RETIRED_SCRIPT) if call.since("iris") else None
    return storage.to_bytes(items[0]) if items else None


def require_federator(call: Call, *others: Federation | None) -> None:
    """Raise `PrecompileFailed` unless the sender is a member of a live federation or of another."""
    if any(each and call.sender in each.accounts for each in (*live(call), *others)):
        return
    raise PrecompileFailed(f"0x{call.sender.hex()} is not a member of the federation")


def activation_age(call: Call) -> int:
    """Blocks from the creation of a federation until it becomes active."""
    ages = peg_of(call).activation_ages
    return [age for upgrade, age in ages if call.since(upgrade)][-1]


def is_old_enough(call: Call, federation: Federation) -> bool:
    return age_of(call, federation) >= activation_age(call)


def age_of(call: Call, federation: Federation) -> int:
    return int(call.state.block_number) - federation.block_number


def _genesis(call: Call) -> Federation:
    peg = peg_of(call)
    members = map(read_member, peg.keys)
    return build_federation(call, members, peg.created, CREATION_BLOCK, Format.STANDARD)


# Methods


def reads(find: Callable[[Call], Any], name: str) -> Callable[..., Any]:
    """A method that returns what a federation has by that name, or a key of one of its members."""

    def answer(call: Call) -> Any:
        federation = find(call)
        if federation is None:
            return b"" if name in {"address", "hash"} else MISSING
        value = getattr(federation, name)
        return value // 1000 if name == "created" and call.since("lovell") else value

    def key(call: Call, index: int, kind: str = "btc") -> bytes:
        return _key_of_member(find(call), index, kind)

    return key if name == "key" else answer


def _key_of_member(federation: Any, index: int, kind: str) -> bytes:
    if kind not in KEY_TYPES:
        raise PrecompileFailed(f"a federator's key is of type btc, rsk or mst, not {kind[:64]!r}")
    if federation is None:
        return b""
    members = federation.members
    if not 0 <= native_contract.int32(index) < len(members):
        raise PrecompileFailed(f"the federator index has to be between 0 and {len(members) - 1}")
    return bytes(getattr(members[native_contract.int32(index)], kind))


def _creation_block(call: Call) -> int:
    due = _due_creation_block(call)
    return _long(storage.load_rlp(call, ACTIVE_CREATION_BLOCK) or b"") if due is None else due


def _due_creation_block(call: Call) -> int | None:
    # That of the newest federation, once it is old enough.
    item = storage.load_rlp(call, NEXT_CREATION_BLOCK)
    if item is None or call.state.block_number < _long(item) + activation_age(call):
        return None
    return _long(item)


def update_creation_blocks(call: Call) -> None:
    """Part of `updateCollections` since Iris (RSKIP186): keep when the active one was created."""
    due = _due_creation_block(call) if call.since("iris") else None
    if due is not None:
        storage.store_number(call, ACTIVE_CREATION_BLOCK, due)
        storage.store(call, NEXT_CREATION_BLOCK, b"")


def federators_at(state: Any, upgrade: str, block_number: int) -> tuple[Address, ...]:
    """The accounts that REMASC pays for a block: of the federation active then, in its order."""
    read = ("_account_db", "get_storage", "execution_context")
    at_block: Any = SimpleNamespace(
        **{name: getattr(state, name) for name in read}, block_number=block_number
    )
    computation: Any = SimpleNamespace(state=at_block)
    call = Call(computation, upgrade)
    members = active(call).members
    # The keys of accounts before Arrowhead (RSKIP415) were those for Bitcoin.
    return tuple(
        member.account if call.since("arrowhead") else account_of(member.btc) for member in members
    )


def federators_of(upstream: UpstreamState) -> tuple[Address, ...]:
    """The accounts of the federation of a forked chain, to which REMASC pays.

    Raises `UpstreamAnswerInvalid` for what is no federation.
    """
    size = int.from_bytes(upstream.call(ADDRESS, SIZE))
    if not 0 < size <= LARGEST_FEDERATION:
        raise UpstreamAnswerInvalid(f"the upstream's Bridge has a federation of {size} members")
    requests = [
        KEY_OF_TYPE + native_contract.encode_all(("int256", "string"), (index, "rsk"))
        for index in range(size)
    ]
    upstream.need_calls(ADDRESS, requests)
    return tuple(_account_of_key(upstream.call(ADDRESS, request)) for request in requests)


def _account_of_key(output: bytes) -> Address:
    try:
        (raw,) = native_contract.decode(("bytes",), output)
        return account_of(raw)
    except ValueError as error:
        raise UpstreamAnswerInvalid(
            "what the upstream's Bridge returns for a federator is no public key"
        ) from error


_READ: tuple[tuple[Any, ...], ...] = (
    ("getFederationAddress() -> string", 11_000, active, "address"),
    ("getFederationCreationBlockNumber() -> int256", 10_000, active, "block_number"),
    ("getFederationCreationTime() -> int256", 10_000, active, "created"),
    ("getFederationSize() -> int256", 10_000, active, "size"),
    ("getFederationThreshold() -> int256", 11_000, active, "threshold"),
    ("getFederatorPublicKey(int256) -> bytes", 10_000, active, "key", "orchid", "wasabi"),
    ("getFederatorPublicKeyOfType(int256,string) -> bytes", 10_000, active, "key", "wasabi"),
    ("getRetiringFederationAddress() -> string", 3_000, retiring, "address"),
    ("getRetiringFederationCreationBlockNumber() -> int256", 3_000, retiring, "block_number"),
    ("getRetiringFederationCreationTime() -> int256", 3_000, retiring, "created"),
    ("getRetiringFederationSize() -> int256", 3_000, retiring, "size"),
    ("getRetiringFederationThreshold() -> int256", 3_000, retiring, "threshold"),
    ("getRetiringFederatorPublicKey(int256) -> bytes", 3_000, retiring, "key", "orchid", "wasabi"),
    ("getRetiringFederatorPublicKeyOfType(int256,string) -> bytes", 3_000,
     retiring, "key", "wasabi"),
    ("getProposedFederationAddress() -> string", 3_000, proposed, "address", "lovell"),
    ("getProposedFederationSize() -> int256", 3_000, proposed, "size", "lovell"),
    ("getProposedFederationCreationTime() -> int256", 3_000, proposed, "created", "lovell"),
    ("getProposedFederationCreationBlockNumber() -> int256", 3_000,
     proposed, "block_number", "lovell"),
    ("getProposedFederatorPublicKeyOfType(int256,string) -> bytes", 3_000,
     proposed, "key", "lovell"),
)  # fmt: skip

METHODS = (
    *(local(row[0], row[1], reads(row[2], row[3]), *row[4:]) for row in _READ),
    reading("getActivePowpegRedeemScript() -> bytes", 30_000, reads(active, "redeem_script"),
            "fingerroot"),
    reading("getActiveFederationCreationBlockHeight() -> uint256", 3_000, _creation_block, "iris"),
)  # fmt: skip
