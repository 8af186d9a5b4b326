"""Who sent a peg-in, and where to: read from the first input and from an OP_RETURN output.

A peg-in of version 0 goes to the account of the key that sent it. One of version 1 names the
account, and maybe a Bitcoin address for refunds (RSKIP170).
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from devchain.evm.rootstock.precompiles.bitcoin import base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    RedeemScript,
    parse_script,
    pay_to_key,
    pay_to_script,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge.federation import account_of
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of
from devchain.evm.rootstock.precompiles.native_contract import Call, Malformed
from devchain.evm.rootstock.precompiles.powpeg import Powpeg
from devchain.types import Address

OP_RETURN = 0x6A
KEY_WITNESS = 2  # items: signature and key
LEAST_STACK = 3  # items that spend from a multisig: empty, a signature, the redeem script

# The data of the OP_RETURN output.
PREFIX = b"RSKT"
VERSION_1 = 1
ACCOUNT, REFUND_KIND, REFUND_HASH = slice(5, 25), 25, slice(26, 46)
WITHOUT_REFUND, WITH_REFUND = 25, 46  # bytes
REFUND_TO_KEY, REFUND_TO_SCRIPT = 1, 2

COMPRESSED_KEY = 33  # bytes


class SenderKind(Enum):
    """What the first input of a peg-in spends."""

    P2PKH = "the output of a key"
    P2SH_P2WPKH = "the SegWit output of a key"
    P2SH_MULTISIG = "the output of a multisig"
    P2SH_P2WSH = "the SegWit output of a multisig"

    @property
    def is_key(self) -> bool:
        return self in {SenderKind.P2PKH, SenderKind.P2SH_P2WPKH}


class BitcoinAddress(NamedTuple):
    """An address of a key or of a script."""

    version: int
    hash: bytes
    output_script: bytes

    def __str__(self) -> str:
        return base58check(bytes([self.version]) + self.hash)

    @classmethod
    def of_key(cls, peg: Powpeg, key_hash: bytes) -> BitcoinAddress:
        return cls(peg.key_version, key_hash, pay_to_key(key_hash))

    @classmethod
    def of_script(cls, peg: Powpeg, script_hash: bytes) -> BitcoinAddress:
        return cls(peg.script_version, script_hash, pay_to_script(script_hash))


class Sender(NamedTuple):
    """The sender of a Bitcoin transaction; a multisig has no account on Rootstock."""

    kind: SenderKind
    address: BitcoinAddress
    account: Address | None = None


class PegIn(NamedTuple):
    """What a peg-in asks for: the account that receives it, the address that a refund goes to.

    With a `problem` its instructions cannot be read, and the rest is what its sender says.
    """

    version: int
    sender: Sender | None
    receiver: Address | None
    refund: BitcoinAddress | None
    problem: str = ""


def read_peg_in(call: Call, transaction: BitcoinTransaction) -> PegIn:
    """What a peg-in asks for; raises `PrecompileFailed` where bitcoinj fails at its first input."""
    peg, sender = peg_of(call), find_sender(call, transaction)
    peg_in = PegIn(0, sender, sender and sender.account, sender and sender.address)
    if call.since("iris"):
        try:
            instructions = _instructions(transaction)
            if instructions is not None:
                return _version_1(peg, peg_in, instructions)
        except ValueError as error:
            return peg_in._replace(problem=str(error))
    if sender is None and not call.since("arrowhead"):
        return peg_in._replace(problem="the peg-in has neither a sender nor instructions")
    return peg_in


# Instructions


def _instructions(transaction: BitcoinTransaction) -> bytes | None:
    # Raises `ValueError` for an output script that is cut off, too.
    scripts = [parse_script(output.script) for output in transaction.outputs]
    pushed = [parts[1].pushed for parts in scripts if parts[1:] and parts[0].opcode == OP_RETURN]
    found = [data for data in pushed if data is not None and data.startswith(PREFIX)]
    if len(found) > 1:
        raise ValueError("a peg-in has one output with instructions")
    return found[0] if found else None


def _version_1(peg: Powpeg, peg_in: PegIn, instructions: bytes) -> PegIn:
    if len(instructions) <= len(PREFIX) or instructions[len(PREFIX)] != VERSION_1:
        raise ValueError("the version of the peg-in is not known")
    if len(instructions) not in {WITHOUT_REFUND, WITH_REFUND}:
        raise ValueError(f"instructions have {WITHOUT_REFUND} or {WITH_REFUND} bytes")
    refund = peg_in.refund
    if len(instructions) == WITH_REFUND:
        kind = instructions[REFUND_KIND]
        if kind not in {REFUND_TO_KEY, REFUND_TO_SCRIPT}:
            raise ValueError("the kind of the address for refunds is not known")
        of_hash = BitcoinAddress.of_key if kind == REFUND_TO_KEY else BitcoinAddress.of_script
        refund = of_hash(peg, instructions[REFUND_HASH])
    return PegIn(VERSION_1, peg_in.sender, Address(instructions[ACCOUNT]), refund)


# Senders


def find_sender(call: Call, transaction: BitcoinTransaction) -> Sender | None:
    """The sender, from the first input; raises `PrecompileFailed` where bitcoinj fails."""
    peg, spent = peg_of(call), transaction.inputs[0]
    pushed = [chunk.pushed for chunk in parse_script(spent.script)]
    if len(pushed) == KEY_WITNESS and (account := _account(key := pushed[-1] or b"")):
        return Sender(SenderKind.P2PKH, BitcoinAddress.of_key(peg, hash160(key)), account)
    is_segwit = transaction.has_witnesses and len(pushed) == 1
    if is_segwit and len(spent.witness) == KEY_WITNESS:
        key, account = spent.witness[-1], account_of(spent.witness[-1])
        address = BitcoinAddress.of_script(peg, hash160(b"\0\x14" + hash160(key)))
        is_compressed = len(key) == COMPRESSED_KEY
        return Sender(SenderKind.P2SH_P2WPKH, address, account) if is_compressed else None
    if len(pushed) >= LEAST_STACK and _is_multisig(pushed[-1]):
        address = BitcoinAddress.of_script(peg, hash160(pushed[-1] or b""))
        return Sender(SenderKind.P2SH_MULTISIG, address)
    if is_segwit and len(spent.witness) >= LEAST_STACK and _is_multisig(spent.witness[-1]):
        address = BitcoinAddress.of_script(peg, hash160(witness_program(spent.witness[-1])))
        return Sender(SenderKind.P2SH_P2WSH, address)
    return None


def _account(key: bytes) -> Address | None:
    try:
        return account_of(key)
    except ValueError:
        return None


def _is_multisig(script: bytes | None) -> bool:
    # Raises `Malformed` for what is no script.
    if script is None:
        raise Malformed("the first input of the peg-in ends with an opcode")
    parse_script(script)
    try:
        RedeemScript.parse(script)
    except ValueError:
        return False
    return True
