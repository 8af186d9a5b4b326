"""Arguments of internal functions, read from the stack and the memory of solc's code.

solc passes the arguments of an internal function on the stack, above the return address:

    take(uint256 amount, string memory note)    ... | return address | amount | note
    the same via IR                             ... | return address | note | amount

A value in memory is a pointer; dynamic data in call data is an offset and a length.

They are read only where code has followed this convention: at a jump to the beginning of that
function, by a call that names it, with a return address below as many words as its parameters take.
A function that an optimizer has inlined has no such jump. Its arguments are where they happen to
be: those on the stack at the last jump are of the function into which it was inlined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from devchain.contracts.abi import AddressText, format_value
from devchain.contracts.syntax_tree import Function, Parameter
from devchain.source.map import CodeMap
from devchain.tracing.internal_calls import InternalCall
from devchain.types import Address

WORD = 32
MAX_ITEMS = 8
MAX_BYTES = 256
UNKNOWN = "?"

ZERO_SLOT = 0x60
"""Where solc's pointers to empty dynamic values point: memory that is never written."""

SIMPLE = re.compile(r"(u?int\d+|bool|address( payable)?|bytes\d+|(contract|enum) [\w$.]+)")
ARRAY = re.compile(r"(.+)\[(\d*)\] memory")
STORED = (" storage", " storage pointer", " storage ref")
WORDS = re.compile(r"\w+")
SIZED = re.compile(r"bytes(\d+)$")
INTEGER = re.compile(r"(u?)int(\d+)$")


def internal_arguments(
    code_map: CodeMap,
    function: Function,
    call: InternalCall,
    memory: bytes,
    address_text: AddressText,
) -> list[str] | None:
    """The arguments of a function of solc, each as text: `amount=9`; None if they are not known."""
    words = words_of_arguments(code_map, function, call)
    if words is None:
        return None
    if code_map.artifact.via_ir:  # the first argument is on top
        words.reverse()
    texts, place = [], 0
    for parameter in function.parameters:
        size = stack_words(parameter)
        text = stack_value(parameter.kind, words[place : place + size], memory, address_text)
        texts.append(f"{parameter.name}={text}" if parameter.name else text)
        place += size
    return texts


def words_of_arguments(
    code_map: CodeMap, function: Function, call: InternalCall
) -> list[int] | None:
    """The words of a function's arguments; None if it was not called by the convention.

    The return address is behind the jump, but where the optimizer has merged what is there with
    other code.
    """
    if not code_map.has_calling_convention or code_map.function_at(call.target) is not function:
        return None
    first = len(call.stack) - sum(map(stack_words, function.parameters))
    if first < 1 or not code_map.may_call(call.offset, function):
        return None
    back = as_int(call.stack[first - 1])
    is_behind = back == call.offset + 1
    if not is_behind and not (code_map.artifact.optimized and code_map.is_destination(back)):
        return None
    return [as_int(each) for each in call.stack[first:]]


def as_int(word: int | bytes) -> int:
    """A word of the stack, which py-evm keeps in either form."""
    return word if isinstance(word, int) else int.from_bytes(word, "big")


def stack_words(parameter: Parameter) -> int:
    """How many words of the stack a parameter takes."""
    kind = parameter.kind
    if kind in {"string calldata", "bytes calldata"} or kind.endswith("[] calldata"):
        return 2
    return 2 if _is_external_function(kind) else 1


def _is_external_function(kind: str) -> bool:
    # Types of functions may be within the parentheses; an array of them ends with brackets.
    if not kind.startswith("function ") or kind.endswith((" memory", " calldata", *STORED)):
        return False
    depth, outside = 0, ""
    for each in kind:
        depth += (each == "(") - (each == ")")
        outside += each if depth == 0 else ""
    return "external" in WORDS.findall(outside.partition(" returns")[0])


def stack_value(kind: str, words: Sequence[int], memory: bytes, address_text: AddressText) -> str:
    """A value on the stack as text; `?` if its type is not shown."""
    if len(words) != 1:
        return UNKNOWN
    word = words[0]
    if SIMPLE.fullmatch(kind):
        return _simple(kind, word, address_text)
    if kind in {"string memory", "bytes memory"}:
        return _bytes(word, memory, is_text=kind.startswith("string"))
    found = ARRAY.fullmatch(kind)
    if found and SIMPLE.fullmatch(found[1]):
        return _array(found[1], found[2], word, memory, address_text)
    return UNKNOWN


def _length(start: int, memory: bytes) -> int | None:
    if start == ZERO_SLOT and len(memory) <= ZERO_SLOT:
        return 0  # nothing has been written there
    word = memory[start : start + WORD]
    return int.from_bytes(word, "big") if len(word) == WORD else None


def _bytes(start: int, memory: bytes, *, is_text: bool) -> str:
    size = _length(start, memory)
    if size is None:
        return UNKNOWN
    content = memory[start + WORD : start + WORD + min(size, MAX_BYTES)]
    if len(content) < min(size, MAX_BYTES):
        return UNKNOWN
    more = "..." if size > MAX_BYTES else ""
    value = content.decode(errors="replace") if is_text else content
    return f"{format_value(value)}{more}"


def _array(kind: str, length: str, start: int, memory: bytes, address_text: AddressText) -> str:
    count = int(length) if length else _length(start, memory)
    if count is None:
        return UNKNOWN
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
