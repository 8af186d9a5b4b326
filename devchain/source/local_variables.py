"""Values of local variables where the compiler's conventions and the code say where they are.

solc without `viaIR` keeps them on the stack, above the return address, in the order in which they
are declared; those of a block are gone at its end:

    words(uint256 amount) returns (uint256 result)    ... | return address | amount | result
    uint256 total = amount * 2;                       ... | total

vyper gives each a fixed place in memory: the arguments of an internal function one after the other,
then the variables, those of a block in what is free after those around it. The place is the address
that code reads an argument from or writes a first value to; other places follow by the sizes of the
variables, if all such code agrees. A variable whose place does not follow is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from devchain.contracts.abi import AddressText, format_value
from devchain.contracts.fixed_point import decimal_text
from devchain.contracts.syntax_tree import Function, Local, Parameter
from devchain.source.map import MLOAD, MSTORE, CodeMap, Position
from devchain.source.stack_values import UNKNOWN, WORD, stack_value, stack_words
from devchain.types import Address

MAX_ITEMS = 8
MAX_BYTES = 256
WORD_TYPE = re.compile(r"u?int\d+|bool|address|bytes\d+|decimal", re.ASCII)
TEXT_TYPE = re.compile(r"(String|Bytes)\[(\d{1,9})\]", re.ASCII)
LIST_TYPE = re.compile(r"DynArray\[(.+), (\d{1,9})\]", re.ASCII)
ARRAY_TYPE = re.compile(r"(.+)\[(\d{1,9})\]", re.ASCII)
LOOP = re.compile(r"\bfor\s+(\w+)\b[^\n]*?\sin\s+([^\n]*):\s*(?:#[^\n]*)?\s*$")
"""The end of a text that ends with the head of a loop: its variable, and what it iterates over."""

EMPTY = re.compile(r"=\s*\[\s*\]$")
"""A list without elements, of which the code writes the length alone."""

COPIED = re.compile(r"^\[|\(")

Values = list[tuple[str, str]]
"""Names of variables with their values as text."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a function works with: stack and memory of its message, and how addresses are shown.

    `height` is the number of words on the stack when the function began, with its arguments.
    """

    stack: Sequence[int | bytes]
    memory: bytes
    height: int | None
    address_text: AddressText


def local_values(code_map: CodeMap, position: Position, machine: Machine) -> Values:
    """The local variables of the function at a position that have a value there."""
    function = position.function
    if function is None or not position.is_exact:
        return []
    if code_map.is_vyper:
        return list(_vyper_values(code_map, function, position, machine))
    if code_map.artifact.via_ir or machine.height is None:
        return []
    return list(_solc_values(code_map, function, position, machine))


def _has_place(local: Local, position: Position) -> bool:
    start, end = position.span
    return local.since <= start and end <= local.until


# solc


def _solc_values(
    code_map: CodeMap, function: Function, position: Position, machine: Machine
) -> Iterator[tuple[str, str]]:
    place = machine.height or 0
    for each in function.returns:
        size = stack_words(each)
        yield from _solc_value(each, place, size, machine)
        place += size
    if not _has_plain_modifiers(code_map, function):
        return
    for local in function.variables:
        if not _has_place(local, position):
            continue
        if not local.name and not local.kind:
            return
        described = Parameter(local.name, local.kind)
        size = stack_words(described)
        if local.assigned <= position.span[0]:
            yield from _solc_value(described, place, size, machine)
        place += size


def _solc_value(
    described: Parameter, place: int, size: int, machine: Machine
) -> Iterator[tuple[str, str]]:
    stack = machine.stack[place : place + size]
    if not described.name or len(stack) < size:
        return
    words = [each if isinstance(each, int) else int.from_bytes(each, "big") for each in stack]
    text = stack_value(described.kind, words, machine.memory, machine.address_text)
    if text != UNKNOWN:
        yield described.name, text


def _has_plain_modifiers(code_map: CodeMap, function: Function) -> bool:
    named = {name for name, _ in function.modifiers}
    return not any(
        each.parameters or each.variables
        for file in (code_map.files.values() if named else ())
        for each in file.functions.values()
        if each.kind == "modifier" and each.own_name in named
    )


# vyper


def _vyper_values(
    code_map: CodeMap, function: Function, position: Position, machine: Machine
) -> Iterator[tuple[str, str]]:
    for local, place in memory_places(code_map, function).items():
        if local.assigned <= position.span[0] and _has_place(local, position):
            text = vyper_value(local.kind, place, machine.memory, machine.address_text)
            if text is not None:
                yield local.name, text


def vyper_arguments(
    code_map: CodeMap, function: Function, memory: bytes, address_text: AddressText
) -> list[str]:
    """The arguments of an internal function of vyper, each as text; empty if not known."""
    places = memory_places(code_map, function)
    found = []
    for each in function.parameters:
        place = places.get(argument(function, each))
        text = None if place is None else vyper_value(each.kind, place, memory, address_text)
        found.append(f"{each.name}={UNKNOWN if text is None else text}")
    is_known = any(not each.endswith(f"={UNKNOWN}") for each in found)
    return found if is_known else []


def memory_places(code_map: CodeMap, function: Function) -> dict[Local, int]:
    """Where in memory the arguments and variables of a function of vyper are, as far as known."""
    cached = code_map.memory_places
    if function not in cached:
        cached[function] = dict(_memory_places(code_map, function))
    return cached[function]


def _memory_places(code_map: CodeMap, function: Function) -> Iterator[tuple[Local, int]]:
    seen = _first_writes(code_map, function)
    start = code_map.position_of(function)
    lists = {each for each in function.variables if start and _iterates_copy(each, start)}
    offsets = _offsets(function.variables, lists)
    bases = {seen[each] - offset for each, offset in offsets.items() if each in seen}
    if len(bases) > 1:  # not as expected: what the code says is left
        yield from (each for each in seen.items() if vyper_size(each[0].kind) == WORD)
        return
    if function.is_internal:
        yield from _arguments(code_map, function)
    base = bases.pop() if bases else None
    for each in function.variables:
        if each in seen:
            yield each, seen[each]
        elif each in offsets and base is not None:
            yield each, base + offsets[each]


def _arguments(code_map: CodeMap, function: Function) -> Iterator[tuple[Local, int]]:
    sizes = [vyper_size(each.kind) for each in function.parameters]
    offsets: dict[str, int] = {}
    for number, each in enumerate(function.parameters):
        if all(sizes[:number]):
            offsets[each.name] = sum(size or 0 for size in sizes[:number])
    bases = {
        place - offsets[push.text]
        for place, opcode, _, push in code_map.constant_accesses()
        if opcode == MLOAD and push and push.function is function and push.text in offsets
    }
    if len(bases) == 1:
        base = bases.pop()
        for each in function.parameters:
            if each.name in offsets:
                yield argument(function, each), base + offsets[each.name]


def argument(function: Function, described: Parameter) -> Local:
    """An argument as a local variable of the whole function."""
    start, end = function.span
    return Local(described.name, described.kind, start, end, end)


def _iterates_copy(local: Local, function: Position) -> bool:
    before = function.file.text_at((function.span[0], local.assigned)) if local.name else ""
    found = LOOP.search(before)
    is_loop = found is not None and found[1] == local.name and local.assigned == local.since + 1
    iterated = found[2] if found and is_loop else ""
    return bool(COPIED.search(iterated)) and not iterated.startswith("range")


def _offsets(variables: Sequence[Local], lists: Collection[Local]) -> dict[Local, int]:
    # Nor have those inside the loops over copies of lists whose variables are `lists`.
    found: dict[Local, int] = {}
    for position, each in enumerate(variables):
        around = [
            other
            for other in variables[:position]
            if other.since <= each.since and each.until <= other.until
        ]
        sizes = [vyper_size(other.kind) if other.kind else WORD for other in around]
        if any(other in lists for other in around):
            continue
        if all(sizes) and all(other.name for other in around) and each.name:
            found[each] = sum(size or 0 for size in sizes)
    return found


def _first_writes(code_map: CodeMap, function: Function) -> dict[Local, int]:
    declared = {(each.since, each.assigned): each for each in function.variables}
    found: dict[Local, set[int]] = {}
    empty: set[Local] = set()
    for pushed, opcode, position, _ in code_map.constant_accesses():
        if opcode == MLOAD or position is None or position.function is not function:
            continue
        local = declared.get(position.span)
        if local and (opcode == MSTORE or vyper_size(local.kind) != WORD):
            found.setdefault(local, set()).add(pushed)
            if EMPTY.search(position.text):
                empty.add(local)
    return {
        local: min(places)
        for local, places in found.items()
        if len(places) == 1 and (_is_settled(local) or local in empty)
    }


def _is_settled(local: Local) -> bool:
    size = vyper_size(local.kind)
    return size == WORD or bool(TEXT_TYPE.fullmatch(local.kind))


def vyper_size(kind: str) -> int | None:
    """Bytes that a value of a type takes in memory; None if that is not known."""
    if WORD_TYPE.fullmatch(kind):
        return WORD
    if text := TEXT_TYPE.fullmatch(kind):
        return WORD + (int(text[2]) + WORD - 1) // WORD * WORD
    listed = LIST_TYPE.fullmatch(kind)
    found = listed or ARRAY_TYPE.fullmatch(kind)
    if found is None or len(kind) > 100:
        return None
    size = vyper_size(found[1])
    return None if size is None else size * int(found[2]) + (WORD if listed else 0)


def vyper_value(kind: str, place: int, memory: bytes, address_text: AddressText) -> str | None:
    """A value in memory as text; None if its type is not known or memory ends before."""
    if WORD_TYPE.fullmatch(kind):
        data = memory[place : place + WORD]
        return _word(kind, data, address_text) if len(data) == WORD else None
    if text := TEXT_TYPE.fullmatch(kind):
        return _text(text[1], int(text[2]), memory[place:])
    listed = LIST_TYPE.fullmatch(kind)
    found = listed or ARRAY_TYPE.fullmatch(kind)
    step = vyper_size(found[1]) if found else None
    if found is None or step is None:
        return None
    count = int(found[2])
    if listed:
        given = int.from_bytes(memory[place : place + WORD], "big")
        count, place = min(given, count + 1), place + WORD
    starts = range(place, place + min(count, MAX_ITEMS) * step, step)
    items = [vyper_value(found[1], each, memory, address_text) for each in starts]
    if not all(items) or count > int(found[2]):
        return None
    more = [f"... {count - MAX_ITEMS:,} more"] if count > MAX_ITEMS else []
    return f"[{', '.join([*filter(None, items), *more])}]"


def _text(kind: str, limit: int, data: bytes) -> str | None:
    size = int.from_bytes(data[:WORD], "big")
    content = data[WORD : WORD + min(size, MAX_BYTES)]
    if size > limit or len(content) < min(size, MAX_BYTES):
        return None
    value = content.decode(errors="replace") if kind == "String" else content
    return f"{format_value(value)}{'...' if size > MAX_BYTES else ''}"


def _word(kind: str, data: bytes, address_text: AddressText) -> str:
    number = int.from_bytes(data, "big")
    if kind == "bool":
        return "true" if number else "false"
    if kind == "address":
        return address_text(Address(data[-20:]))
    if kind.startswith("bytes"):
        return f"0x{data[: int(kind[5:])].hex()}"
    if kind.startswith("uint"):
        return str(number)
    signed = int.from_bytes(data, "big", signed=True)
    return decimal_text(signed) if kind == "decimal" else str(signed)
