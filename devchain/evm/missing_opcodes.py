"""Opcodes that code has and a hardfork lacks, and the setting of the compiler that avoids them.

>>> print(advice(missing_opcodes(bytes.fromhex("5f5f"), "iris"), "iris"))
PUSH0 is not available before arrowhead; compile with evmVersion paris
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from devchain.evm.hardforks import rules_for
from devchain.evm.opcodes import ENDS, OPCODES, PUSHES, Op, Opcode, reached
from devchain.networks import ETHEREUM, ROOTSTOCK, is_ethereum

EVM_VERSIONS = (
    ("homestead", {Op.DELEGATECALL}),
    ("spuriousDragon", {Op.RETURNDATASIZE, Op.RETURNDATACOPY, Op.STATICCALL, Op.REVERT}),
    ("byzantium", {Op.SHL, Op.SHR, Op.SAR, Op.EXTCODEHASH, Op.CREATE2}),
    ("petersburg", {Op.CHAINID, Op.SELFBALANCE}),
    ("berlin", {Op.BASEFEE}),
    ("paris", {Op.PUSH0}),
    ("shanghai", {Op.BLOBHASH, Op.BLOBBASEFEE, Op.TLOAD, Op.TSTORE, Op.MCOPY}),
    ("prague", {Op.CLZ}),
)
"""Values of the compilers' setting `evmVersion`, with the opcodes that the next one adds."""

_ENDS = ENDS | set(range(256)) - OPCODES.keys() - set(PUSHES)
_METADATA = re.compile(
    rb"(?:dipfsX\x22.{34}|ebzzr[01]X\x20.{32})(?:lexperimental\xf5)?(?:dsolcC...)?\x00.", re.DOTALL
)
"""Solidity's metadata without its first bytes, at the end of code or of a contract inside it."""


@lru_cache(maxsize=256)
def missing_opcodes(code: bytes, hardfork: str) -> Mapping[Opcode, tuple[int, ...]]:
    """The opcodes of runtime or creation code that the hardfork lacks, where they can be reached.

    With each are its offsets. INVALID, which none has, is not among them.
    """
    lacking = bytes(OPCODES.keys() - _opcodes(hardfork) - {Op.INVALID})
    plain = _METADATA.sub(lambda data: bytes(len(data[0])), code)
    offsets: dict[Opcode, list[int]] = {}
    for offset in reached(plain, lacking, _ENDS):
        offsets.setdefault(OPCODES[code[offset]], []).append(offset)
    return {opcode: tuple(found) for opcode, found in offsets.items()}


def _opcodes(hardfork: str) -> frozenset[int]:
    return frozenset(rules_for(hardfork).vm_class.get_state_class().computation_class.opcodes)


def first_hardfork(opcode: int, hardfork: str) -> str | None:
    """The first hardfork of the same chain that has an opcode; None if none has it."""
    names = ETHEREUM if is_ethereum(hardfork) else ROOTSTOCK
    return next((name for name in names if opcode in _opcodes(name)), None)


def evm_version(opcodes: Collection[Opcode]) -> str:
    """The newest `evmVersion` with which compilers use none of those opcodes."""
    return next((name for name, new in EVM_VERSIONS if new.intersection(opcodes)), "")


def advice(opcodes: Collection[Opcode], hardfork: str) -> str:
    """What to change about opcodes that a hardfork lacks; empty without any."""
    if not opcodes:
        return ""
    by_hardfork: dict[str | None, list[str]] = {}
    for opcode in opcodes:
        by_hardfork.setdefault(first_hardfork(opcode, hardfork), []).append(opcode.name)
    missing = ", ".join(
        f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} not available "
        f"{f'before {first}' if first else 'in any upgrade yet'}"
        for first, names in by_hardfork.items()
    )
    return f"{missing}; compile with evmVersion {evm_version(opcodes)}"


def advice_on(opcode: int, hardfork: str) -> str:
    """The advice about an instruction that has failed; empty if the hardfork has it, or none."""
    known = OPCODES.get(opcode)
    if known is None or known == Op.INVALID or known in _opcodes(hardfork):
        return ""
    return advice([known], hardfork)
