"""Bitcoin scripts as bitcoinj reads them: pushes and opcodes, multi-signature redeem scripts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from devchain.evm.rootstock.precompiles.bitcoin import HASH, hash160
from devchain.evm.rootstock.precompiles.native_contract import Malformed

OP_PUSHDATA1, OP_PUSHDATA2, OP_PUSHDATA4, OP_1, OP_16 = 0x4C, 0x4D, 0x4E, 0x51, 0x60
OP_NOTIF, OP_ELSE, OP_ENDIF, OP_DROP = 0x64, 0x67, 0x68, 0x75
OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY, OP_CHECKSEQUENCEVERIFY = 0xAE, 0xAF, 0xB2

MULTISIG_PARTS = 4  # the fewest: threshold, key, number of keys, opcode
FLYOVER_HASH = 32  # bytes that a Flyover deposit's script pushes and drops
# SHA-256 of testnet's redeem script under Iris, which bitcoinj does not take for a multisig.
_NOT_A_MULTISIG = bytes.fromhex("d491a78f46bd563403b57798d06d3f421fa6edad334e92835f8cd499654ddfa4")


class Chunk(NamedTuple):
    """An opcode, and what it pushes; None for opcodes that are not followed by bytes."""

    opcode: int
    pushed: bytes | None = None

    @property
    def is_check(self) -> bool:
        return self.opcode in {OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY}

    def serialize(self) -> bytes:
        opcode = bytes([self.opcode])
        if self.pushed is None or self.opcode < OP_PUSHDATA1:
            return opcode + (self.pushed or b"")
        length = 1 << (self.opcode - OP_PUSHDATA1)
        return opcode + len(self.pushed).to_bytes(length, "little") + self.pushed

    def number(self) -> int | None:
        """The positive number that is pushed, None for others."""
        if OP_1 <= self.opcode <= OP_16:
            return self.opcode - OP_1 + 1
        if self.pushed is None or self.pushed in {b"", b"\0"}:
            return None
        is_padded = self.pushed[-1] == 0 and self.pushed[-2] < 0x80
        if self.pushed[-1] >= 0x80 or is_padded or len(self.pushed) > 4:
            return None
        return int.from_bytes(self.pushed, "little")


def parse_script(raw: bytes) -> list[Chunk]:
    """The parts of a script; raises `Malformed` if a push is cut off."""
    chunks, at = [], 0
    while at < len(raw):
        opcode, at = raw[at], at + 1
        if opcode > OP_PUSHDATA4:
            chunks.append(Chunk(opcode))
            continue
        size = opcode
        if opcode >= OP_PUSHDATA1:
            length = 1 << (opcode - OP_PUSHDATA1)
            size, at = int.from_bytes(raw[at : at + length], "little"), at + length
        if at + size > len(raw):
            raise Malformed("a push is cut off")
        chunks.append(Chunk(opcode, raw[at : at + size]))
        at += size
    return chunks


def push(item: bytes) -> bytes:
    """The shortest script that pushes those bytes."""
    size = len(item)
    if size == 1 and 1 <= item[0] <= 16:
        return bytes([OP_1 + item[0] - 1])
    if size < OP_PUSHDATA1:
        return bytes([size]) + item
    if size < 2**8:
        return bytes([OP_PUSHDATA1, size]) + item
    return bytes([OP_PUSHDATA2]) + size.to_bytes(2, "little") + item


def pay_to_key(key_hash: bytes) -> bytes:
    """The output script of a key's address (P2PKH)."""
    return b"\x76\xa9\x14" + key_hash + b"\x88\xac"


def pay_to_script(script_hash: bytes) -> bytes:
    """The output script of a script's address (P2SH)."""
    return b"\xa9\x14" + script_hash + b"\x87"


def p2sh_output_script(redeem_script: bytes) -> bytes:
    """The output script of the address of a redeem script."""
    return pay_to_script(hash160(redeem_script))


def witness_program(redeem_script: bytes) -> bytes:
    """The redeem script of a P2SH output whose own redeem script is in the witness."""
    return bytes([0, HASH]) + hashlib.sha256(redeem_script).digest()


def multisig_script(threshold: int, keys: Iterable[bytes]) -> bytes:
    """The script that requires signatures of `threshold` of those compressed public keys."""
    ordered = sorted(keys)
    parts = [bytes([threshold]), *ordered, bytes([len(ordered)])]
    return b"".join(map(push, parts)) + bytes([OP_CHECKMULTISIG])


def erp_script(default: bytes, emergency: bytes, delay: bytes) -> bytes:
    """The script of two multisigs; the second one can be satisfied after a delay in blocks."""
    later = push(delay) + bytes([OP_CHECKSEQUENCEVERIFY, OP_DROP]) + emergency
    return bytes([OP_NOTIF]) + default + bytes([OP_ELSE]) + later + bytes([OP_ENDIF])


def flyover_script(derivation: bytes, redeem_script: bytes) -> bytes:
    """The redeem script of a Flyover deposit to a federation with that redeem script."""
    return push(derivation) + bytes([OP_DROP]) + redeem_script


def script_hash_of(output: bytes) -> bytes | None:
    """The hash in the output script of a script's address, None for other scripts."""
    return output[2:22] if output == pay_to_script(output[2:22]) else None


class RedeemScript(NamedTuple):
    """A multi-signature redeem script and its keys, in the script's order.

    An ERP script has a second multisig, of emergency keys. Either may be behind the hash of a
    Flyover deposit. `standard` is the multisig of the keys, as a script of its own.
    """

    raw: bytes
    threshold: int
    keys: tuple[bytes, ...]
    is_erp: bool
    standard: bytes

    @classmethod
    def parse(cls, raw: bytes) -> RedeemScript:
        """Raises `Malformed` for other scripts."""
        chunks, at = parse_script(raw), 0
        while [chunk.opcode for chunk in chunks[at : at + 2]] == [FLYOVER_HASH, OP_DROP]:
            at += 2  # bitcoinj accepts any number of hashes
        chunks, inner = chunks[at:], raw[(FLYOVER_HASH + 2) * at // 2 :]
        multisig: Sequence[Chunk] | None = chunks
        if not (is_plain := _is_multisig(chunks)):
            multisig = _default_part(chunks)
        if multisig is None or hashlib.sha256(inner).digest() == _NOT_A_MULTISIG:
            raise Malformed("the script is no multi-signature redeem script")
        keys = tuple(chunk.pushed or b"" for chunk in multisig[1:-2])
        standard = b"".join(chunk.serialize() for chunk in multisig)
        return cls(raw, multisig[0].number() or 0, keys, not is_plain, standard)


def _ends_as_multisig(chunks: Sequence[Chunk]) -> bool:
    if len(chunks) < MULTISIG_PARTS:
        return False
    return chunks[-1].is_check or (chunks[-1].opcode == OP_ENDIF and chunks[-2].is_check)


def _is_multisig(chunks: Sequence[Chunk]) -> bool:
    if len(chunks) < MULTISIG_PARTS or not chunks[-1].is_check:
        return False
    size = None if chunks[0].number() is None else chunks[-2].number()
    keys = chunks[1:-2]
    return size == len(keys) and all(key.opcode <= OP_PUSHDATA4 for key in keys)


def _default_part(chunks: Sequence[Chunk]) -> Sequence[Chunk] | None:
    # The federation's multisig in an ERP script. The older, non-standard scripts have the check of
    # signatures once, behind OP_ENDIF.
    opcodes = [chunk.opcode for chunk in chunks]
    if not _ends_as_multisig(chunks) or opcodes[0] != OP_NOTIF or OP_ELSE not in opcodes[1:-2]:
        return None
    at, is_standard = opcodes.index(OP_ELSE, 1), opcodes[-1] == OP_ENDIF
    if not (is_standard or opcodes[-2] == OP_ENDIF):
        return None
    if opcodes[at + 2 : at + 4] != [OP_CHECKSEQUENCEVERIFY, OP_DROP] or opcodes[at + 1] > OP_16:
        return None
    end, check = (-1, []) if is_standard else (-2, [Chunk(OP_CHECKMULTISIG)])
    default, emergency = [*chunks[1:at], *check], [*chunks[at + 4 : end], *check]
    return default if _is_multisig(default) and _is_multisig(emergency) else None
