"""Federations: their members, and the Bitcoin scripts that their funds are locked with.

Up to Papyrus a script asks for the signatures of a majority of the federation. Since Iris
(RSKIP201) a majority of emergency keys can sign instead, once an output is old enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import NamedTuple

from coincurve import PublicKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin import (
    OP_CHECKMULTISIG,
    base58check,
    multisig_script,
    p2sh_output_script,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    OP_CHECKSEQUENCEVERIFY,
    OP_DROP,
    OP_ELSE,
    OP_ENDIF,
    OP_NOTIF,
    push,
)
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    Malformed,
    PrecompileFailed,
    java_bytes,
)
from devchain.types import Address

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
        """The members' Bitcoin keys, sorted."""
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
        """The script of outputs to the federation's address."""
        return self.output_script_of(self.redeem_script)

    @property
    def script_hash(self) -> bytes:
        """The hash in the output script and the address."""
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
    confirmations = java_bytes(peg.emergency_delay)[::-1]
    end = bytes([OP_ENDIF])
    if kind is Format.NON_STANDARD_ERP:
        # Iris had the bytes in the wrong order (RSKIP293). OP_CHECKMULTISIG is at the end.
        if not call.since("fingerroot"):
            confirmations = peg.emergency_delay.to_bytes(2)
        by_members, by_emergency = by_members[:-1], by_emergency[:-1]
        end += bytes([OP_CHECKMULTISIG])
    script = b"".join(
        [
            *(bytes([OP_NOTIF]), by_members, bytes([OP_ELSE]), push(confirmations)),
            *(bytes([OP_CHECKSEQUENCEVERIFY, OP_DROP]), by_emergency, end),
        ]
    )
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
