"""Arguments of internal functions, read from the stack and the memory of solc's code.

solc passes the arguments of an internal function on the stack, above the return address:

    take(uint256 amount, string memory note)    ... | return address | amount | note
    the same via IR                             ... | return address | note | amount

A value in memory is a pointer; dynamic data in call data is an offset and a length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from devchain.contracts.abi import AddressText, format_value
from devchain.contracts.syntax_tree import Function, Parameter
from devchain.types import Address

WORD = 32
MAX_ITEMS = 8
MAX_BYTES = 256
UNKNOWN = "?"

SIMPLE = re.compile(r"(uint|int|bool|address|bytes\d|contract |enum )")
LOCATIONS = (" memory", " calldata", " storage", " pointer", " ref")
ARRAY = re.compile(r"(.+)\[(\d*)\] memory")
SIZED = re.compile(r"bytes(\d+)$")
INTEGER = re.compile(r"(u?)int(\d+)$")


def argument_text(
    function: Function,
    stack: Sequence[int | bytes],
    memory: bytes,
    address_text: AddressText,
    *,
    reverse: bool,
) -> str:
    """The arguments of a function as text, `amount=9, note='rent'`, from the stack at its call.

    `reverse` for code that was compiled via IR, which passes the first argument on top.
    """
    return ", ".join(argument_texts(function, stack, memory, address_text, reverse=reverse))


def argument_texts(
    function: Function,
    stack: Sequence[int | bytes],
    memory: bytes,
    address_text: AddressText,
    *,
    reverse: bool,
) -> list[str]:
    """The arguments of a function, each as text; empty if the stack is too short."""
    sizes = [stack_words(each) for each in function.parameters]
    total = sum(sizes)
    if total > len(stack):
        return []
    words = [each if isinstance(each, int) else int.from_bytes(each, "big") for each in stack]
    words = words[len(words) - total :]
    if reverse:
        words.reverse()
    texts, place = [], 0
    for parameter, size in zip(function.parameters, sizes, strict=True):
        text = stack_value(parameter.kind, words[place : place + size], memory, address_text)
        texts.append(f"{parameter.name}={text}" if parameter.name else text)
        place += size
    return texts


def stack_words(parameter: Parameter) -> int:
    """How many words of the stack a parameter takes."""
    kind = parameter.kind
    is_dynamic = kind.startswith(("string", "bytes calldata")) or "[] calldata" in kind
    if kind.endswith(" calldata") and is_dynamic:
        return 2
    return 2 if kind.startswith("function ") and kind.rpartition(")")[2].endswith("external") else 1


def stack_value(kind: str, words: Sequence[int], memory: bytes, address_text: AddressText) -> str:
    """A value on the stack as text; `?` if its type is not shown."""
    if len(words) != 1:
        return UNKNOWN
    word = words[0]
    if SIMPLE.match(kind) and not kind.endswith(LOCATIONS):
        return _simple(kind, word, address_text)
    if kind in {"string memory", "bytes memory"}:
        return _bytes(word, memory, is_text=kind.startswith("string"))
    found = ARRAY.fullmatch(kind)
    if found and SIMPLE.match(found[1]) and "[" not in found[1]:
        return _array(found[1], found[2], word, memory, address_text)
    return UNKNOWN


def _bytes(start: int, memory: bytes, *, is_text: bool) -> str:
    size = int.from_bytes(memory[start : start + WORD], "big")
    content = memory[start + WORD : start + WORD + min(size, MAX_BYTES)]
    if len(content) < min(size, MAX_BYTES):
        return UNKNOWN
    more = "..." if size > MAX_BYTES else ""
    value = content.decode(errors="replace") if is_text else content
    return f"{format_value(value)}{more}"


def _array(kind: str, length: str, start: int, memory: bytes, address_text: AddressText) -> str:
    count = int(length) if length else int.from_bytes(memory[start : start + WORD], "big")
    first = start if length else start + WORD
    shown = min(count, MAX_ITEMS)
    content = memory[first : first + shown * WORD]
    if len(content) < shown * WORD:
        return UNKNOWN
    items = [
        _simple(kind, int.from_bytes(content[place : place + WORD], "big"), address_text)
        for place in range(0, len(content), WORD)
    ]
    more = [f"... {count - shown:,} more"] if count > shown else []
    return f"[{', '.join([*items, *more])}]"


def _simple(kind: str, word: int, address_text: AddressText) -> str:
    if kind == "bool":
        return str(bool(word)).lower()
    if kind.startswith(("address", "contract ")):
        return address_text(Address(word.to_bytes(WORD, "big")[-20:]))
    if sized := SIZED.match(kind):
        return f"0x{word.to_bytes(WORD, 'big')[: int(sized[1])].hex()}"
    integer = INTEGER.match(kind)
    if integer is None:
        return str(word)
    bits = int(integer[2])
    number = word & (2**bits - 1)  # solc clears what is above only where it matters
    return str(number - 2**bits if not integer[1] and number >> (bits - 1) else number)
