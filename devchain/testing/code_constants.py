"""The constants in a contract's code: PUSH data that is neither a jump destination nor a mask."""

from __future__ import annotations

from dataclasses import dataclass

from devchain.evm.opcodes import PUSHES, Op, walk

SELECTOR_SIZE, ADDRESS_SIZE, WORD_SIZE = 4, 20, 32
WORD_BITS = 256


@dataclass(frozen=True, slots=True)
class CodeConstants:
    """Constants of a code, each once and in its order: numbers, and those as long as an address.

    `selectors` are those of four bytes, of functions, interfaces and custom errors.
    """

    numbers: tuple[int, ...] = ()
    selectors: tuple[bytes, ...] = ()
    addresses: tuple[bytes, ...] = ()


def code_constants(code: bytes) -> CodeConstants:
    """Read the constants of runtime code.

    `PUSH1 04 CALLDATASIZE LT PUSH1 0e JUMPI PUSH3 015180 ... 0e: JUMPDEST` has 86,400; 4 is a power
    of 2, 0x0e a jump destination. `PUSH3 461bcd PUSH1 e5 SHL` has neither number but the selector
    0x08c379a0, which it moves to the left of a word. The compiler's metadata
    (`artifacts.metadata_range`) is not to be part of the code.
    """
    pushed: dict[bytes, None] = {}
    destinations = set()
    instructions = list(walk(code))
    index = 0
    while index < len(instructions):
        offset, opcode, value = instructions[index]
        index += 1
        if opcode == Op.JUMPDEST:
            destinations.add(offset)
        elif opcode in PUSHES:
            if [each.opcode for each in instructions[index : index + 2]] == [Op.PUSH1, Op.SHL]:
                value = _shifted(value, instructions[index].operand[0])
                index += 2
            pushed.setdefault(value)
    found = [each for each in pushed if not _is_mask(int.from_bytes(each))]
    numbers = dict.fromkeys(
        int.from_bytes(each)
        for each in found
        if len(each) != SELECTOR_SIZE and int.from_bytes(each) not in destinations
    )
    return CodeConstants(
        tuple(numbers),
        tuple(each for each in found if len(each) == SELECTOR_SIZE),
        tuple(each for each in found if len(each) == ADDRESS_SIZE),
    )


def _shifted(value: bytes, bits: int) -> bytes:
    word = (int.from_bytes(value) << bits).to_bytes(2 * WORD_SIZE)[WORD_SIZE:]
    if any(word[:SELECTOR_SIZE]) and not any(word[SELECTOR_SIZE:]):
        return word[:SELECTOR_SIZE]
    shifted = word.lstrip(b"\0")
    return word if len(shifted) == SELECTOR_SIZE else shifted


def _is_mask(value: int) -> bool:
    inverted = value ^ (2**WORD_BITS - 1)
    return any(each & (each - 1) == 0 or each & (each + 1) == 0 for each in (value, inverted))
