"""Federations whose private keys are known, on minimal chains, and transactions that they sign."""

from __future__ import annotations

from dataclasses import dataclass, replace

from coincurve import PrivateKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, push
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.bridge import federation, releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import (
    Federation,
    FederationMember,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import pegout_hash, unsigned_input
from tests.evm.rootstock.precompiles.bridge.calls import at_block, reading_call
from tests.evm.rootstock.precompiles.calling import Machine

LATE = 1_000_000  # a block in which a federation of the first block is active


def private_keys(seeds: str) -> dict[bytes, PrivateKey]:
    """Private keys by their public keys; each is the hash of a word."""
    keys = [PrivateKey(keccak(seed.encode())) for seed in seeds.split()]
    return {key.public_key.format(): key for key in keys}


@dataclass(frozen=True)
class Signers:
    """A federation, and the private keys of its members by their public keys."""

    federation: Federation
    keys: dict[bytes, PrivateKey]

    @property
    def script(self) -> bytes:
        """The script of outputs to the federation."""
        return self.federation.output_script

    def input(self, at: int = 0, redeem_script: bytes | None = None) -> TxInput:
        """An input that spends from the federation, or from that redeem script; unsigned."""
        bare = TxInput(bytes([1 + at]) * 32, 0, b"")
        redeem = RedeemScript.parse(redeem_script or self.federation.redeem_script)
        return unsigned_input(bare, redeem, is_segwit=self.federation.is_segwit)

    def sign(
        self,
        transaction: BitcoinTransaction,
        redeem_script: bytes | None = None,
        *,
        signatures: int | None = None,
        value: int = 0,
    ) -> BitcoinTransaction:
        """The transaction with the signatures of its first input, as many as it needs."""
        script = redeem_script or self.federation.redeem_script
        redeem = RedeemScript.parse(script)
        first, *others = transaction.inputs
        if self.federation.is_segwit:
            digest = transaction.witness_signature_hash(0, script, value)
        else:
            digest = transaction.signature_hash(0, script)
        count = redeem.threshold if signatures is None else signatures
        signed = [self.keys[key].sign(digest, hasher=None) + b"\1" for key in redeem.keys[:count]]
        empty = (b"",) * (redeem.threshold - count + (redeem.is_erp or self.federation.is_segwit))
        stack = (b"", *signed, *empty, script)
        if self.federation.is_segwit:
            first = replace(first, witness=stack)
        else:
            first = replace(first, script=b"".join(map(push, stack)))
        return replace(transaction, inputs=(first, *others))


def signers(machine: Machine, seeds: str, kind: Format) -> Signers:
    """A federation of the first block whose members have those keys."""
    keys = private_keys(seeds)
    members = [FederationMember(key, key, key) for key in keys]
    return Signers(build_federation(reading_call(machine), members, 0, 1, kind), keys)


def put_in_force(
    machine: Machine,
    active: Signers,
    retiring: Signers | None = None,
    retired_script: bytes | None = None,
) -> None:
    """Store federations of which the first is active, and let calls be in a late block."""
    reading = reading_call(machine)
    federation.store_federation(reading, federation.NEW, active.federation)
    old = retiring.federation if retiring else None
    federation.store_federation(reading, federation.OLD, old)
    if retired_script is not None:
        storage.store_rlp(reading, federation.LAST_RETIRED_SCRIPT, [retired_script])
    at_block(machine, LATE)


def remember(machine: Machine, transaction: BitcoinTransaction) -> None:
    """Let the Bridge know a transaction as one that it has created."""
    slot = releases._created_slot(pegout_hash(transaction) or b"")
    storage.store(reading_call(machine), slot, releases.TRUE)
