"""Values by their type as text: on the stack, in memory, in a word of storage; local variables.

solc passes the arguments of an internal function on the stack, above the return address, via IR in
the opposite order, and without `viaIR` keeps local variables there too, in the order in which they
are declared:

    words(uint256 amount) returns (uint256 result)    ... | return address | amount | result
    uint256 total = amount * 2;                       ... | total

vyper gives each variable a fixed place in memory: the arguments of an internal function one after
the other, then the variables. The place is the address that code reads an argument from or writes
a first value to; other places follow by the sizes of the variables, if all such code agrees. What
does not follow is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from devchain.contracts.abi import format_value
from devchain.contracts.code_map import CodeMap, Location
from devchain.contracts.outline import Function, Local, Parameter
from devchain.contracts.value_types import AddressText, Kind, ValueType, parse_type, word_text
from devchain.evm.opcodes import PUSHES, Op
from devchain.tracing.opcode_step import as_int
from devchain.tracing.paths import InternalCall
from devchain.types import WORD_SIZE

ACCESSES = frozenset({Op.MLOAD, Op.MSTORE, Op.MCOPY})
MAX_ITEMS = 8
MAX_BYTES = 256
UNKNOWN = "?"

ZERO_SLOT = 0x60  # where solc's pointers to empty dynamic values point: never written

LOOP = re.compile(r"\bfor\s+(\w+)\b[^\n]*?\sin\s+([^\n]*):\s*(?:#[^\n]*)?\s*$")
"""The end of a text that ends with the head of a loop: its variable, and what it iterates over."""

EMPTY = re.compile(r"=\s*\[\s*\]$")  # a list without elements: code writes its length alone
COPIED = re.compile(r"^\[|\(")

Values = list[tuple[str, str]]  # names of variables with their values as text


# Values


def _content_text(content: bytes, *, is_text: bool) -> str:
    shown = content[:MAX_BYTES]
    text = format_value(shown.decode(errors="replace") if is_text else shown)
    return f"{text}..." if len(content) > MAX_BYTES else text


def stack_text(
    kind: ValueType, words: Sequence[int], memory: bytes, address_text: AddressText
) -> str:
    """A value of solc on the stack as text; `?` if its type is not shown."""
    if len(words) != 1:
        return UNKNOWN
    if kind.is_word:
        return word_text(kind, words[0], address_text)
    is_shown = kind.location == "memory" and (kind.element is None or kind.element.is_word)
    text = memory_text(kind, words[0], memory, address_text) if is_shown else None
    return UNKNOWN if text is None else text


def memory_text(
    kind: ValueType, place: int, memory: bytes, address_text: AddressText
) -> str | None:
    """A value in memory as text; None if its type is not known or memory ends before."""
    if kind.is_word:
        data = memory[place : place + WORD_SIZE]
        is_whole = len(data) == WORD_SIZE
        return word_text(kind, int.from_bytes(data), address_text) if is_whole else None
    count = kind.size
    if kind.kind is not Kind.ARRAY:
        length = _length(kind, place, memory)
        if length is None or length > (kind.size or length):
            return None
        count, place = length, place + WORD_SIZE
    if kind.kind in {Kind.BYTES, Kind.STRING}:
        content = memory[place : place + min(count, MAX_BYTES + 1)]
        is_whole = len(content) >= min(count, MAX_BYTES)
        return _content_text(content, is_text=kind.kind is Kind.STRING) if is_whole else None
    step = memory_size(kind.element) if kind.element else None
    if kind.kind not in {Kind.ARRAY, Kind.LIST} or kind.element is None or step is None:
        return None
    starts = range(place, place + min(count, MAX_ITEMS) * step, step)
    items = []
    for start in starts:
        text = memory_text(kind.element, start, memory, address_text)
        if not text:  # nor is what is behind it in memory: arrays may have billions of items
            return None
        items.append(text)
    more = [f"... {count - MAX_ITEMS:,} more"] if count > MAX_ITEMS else []
    return f"[{', '.join([*items, *more])}]"


def _length(kind: ValueType, place: int, memory: bytes) -> int | None:
    word = memory[place : place + WORD_SIZE]
    if len(word) == WORD_SIZE:
        return int.from_bytes(word)
    # Nothing has been written there yet.
    return 0 if not kind.location or place == ZERO_SLOT >= len(memory) else None


def memory_size(kind: ValueType) -> int | None:
    """Bytes that a value takes in Vyper's memory; None if that is not known."""
    if kind.is_word:
        return WORD_SIZE
    if kind.kind in {Kind.BYTES, Kind.STRING} and kind.size:
        return WORD_SIZE + (kind.size + WORD_SIZE - 1) // WORD_SIZE * WORD_SIZE
    element = memory_size(kind.element) if kind.element and kind.size else None
    if element is None or kind.kind not in {Kind.ARRAY, Kind.LIST}:
        return None
    return element * kind.size + (WORD_SIZE if kind.kind is Kind.LIST else 0)


def _size(kind: str) -> int | None:
    return memory_size(parse_type(kind))


# Arguments of internal functions


def internal_arguments(
    code_map: CodeMap,
    function: Function,
    call: InternalCall,
    memory: bytes,
    address_text: AddressText,
) -> list[str] | None:
    """The arguments of a function, each as text: `amount=9`; None if they are not known.

    `memory` is that of solc at the call; Vyper's function may have begun, and has it in its places.
    """
    if code_map.is_vyper:
        return _vyper_arguments(code_map, function, memory, address_text)
    words = words_of_arguments(code_map, function, call)
    if words is None:
        return None
    if code_map.artifact.via_ir:  # the first argument is on top
        words.reverse()
    texts, place = [], 0
    for parameter in function.parameters:
        size = stack_words(parameter)
        text = stack_text(
            parse_type(parameter.kind), words[place : place + size], memory, address_text
        )
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
    if code_map.is_rearranged or code_map.function_at(call.target) is not function:
        return None
    first = len(call.stack) - sum(map(stack_words, function.parameters))
    if first < 1 or not code_map.may_call(call.offset, function):
        return None
    back, template = as_int(call.stack[first - 1]), code_map.code.template
    is_behind = back == call.offset + 1
    is_destination = back in code_map.code_by_offset and template[back] == Op.JUMPDEST
    if not is_behind and not (code_map.artifact.optimized and is_destination):
        return None
    return [as_int(word) for word in call.stack[first:]]


def stack_words(parameter: Parameter) -> int:
    kind = parse_type(parameter.kind)
    if kind.location == "calldata" and kind.kind in {Kind.STRING, Kind.BYTES, Kind.LIST}:
        return 2
    is_external = kind.kind is Kind.FUNCTION and _is_external_function(kind.text)
    return 2 if is_external else 1


def _is_external_function(kind: str) -> bool:
    # Types of functions may be within the parentheses.
    depth, outside = 0, ""
    for character in kind:
        depth += (character == "(") - (character == ")")
        outside += character if depth == 0 else ""
    return "external" in outside.partition(" returns")[0].split()


# Local variables


@dataclass(frozen=True, slots=True)
class Machine:
    """What a function works with: stack and memory of its message, and how addresses are shown.

    `height` is the number of words on the stack when the function began, with its arguments.
    """

    stack: Sequence[int | bytes]
    memory: bytes
    height: int | None
    address_text: AddressText


def local_values(code_map: CodeMap, location: Location, machine: Machine) -> Values:
    """The local variables of the function at a location that have a value there."""
    function = location.function
    if function is None or not location.is_of_statement:
        return []
    if code_map.is_vyper:
        return list(_vyper_values(code_map, function, location, machine))
    if code_map.artifact.via_ir or machine.height is None:
        return []
    return list(_solc_values(code_map, function, location, machine))


def _has_place(local: Local, location: Location) -> bool:
    start, end = location.span
    return local.since <= start and end <= local.until


# solc


def _solc_values(
    code_map: CodeMap, function: Function, location: Location, machine: Machine
) -> Iterator[tuple[str, str]]:
    place = machine.height or 0
    for each in function.returns:
        size = stack_words(each)
        yield from _solc_value(each, place, size, machine)
        place += size
    if not _has_plain_modifiers(code_map, function):
        return
    for local in function.variables:
        if not code_map.hoists_variables and not _has_place(local, location):
            continue
        if not local.name and not local.kind:
            return
        described = Parameter(local.name, local.kind)
        size = stack_words(described)
        if local.assigned <= location.span[0]:
            yield from _solc_value(described, place, size, machine)
        place += size


def _solc_value(
    described: Parameter, place: int, size: int, machine: Machine
) -> Iterator[tuple[str, str]]:
    stack = machine.stack[place : place + size]
    if not described.name or len(stack) < size:
        return
    words = [as_int(word) for word in stack]
    text = stack_text(parse_type(described.kind), words, machine.memory, machine.address_text)
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
    code_map: CodeMap, function: Function, location: Location, machine: Machine
) -> Iterator[tuple[str, str]]:
    for local, place in memory_places(code_map, function).items():
        if local.assigned <= location.span[0] and _has_place(local, location):
            text = memory_text(parse_type(local.kind), place, machine.memory, machine.address_text)
            if text is not None:
                yield local.name, text


def _vyper_arguments(
    code_map: CodeMap, function: Function, memory: bytes, address_text: AddressText
) -> list[str] | None:
    places = memory_places(code_map, function)
    values: list[str | None] = []
    for parameter in function.parameters:
        place = places.get(argument(function, parameter))
        kind = parse_type(parameter.kind)
        values.append(None if place is None else memory_text(kind, place, memory, address_text))
    if values and not any(values):
        return None
    pairs = zip(function.parameters, values, strict=True)
    return [f"{parameter.name}={value or UNKNOWN}" for parameter, value in pairs]


def memory_places(code_map: CodeMap, function: Function) -> dict[Local, int]:
    """Where in memory the arguments and variables of a function of vyper are, as far as known."""
    cached = code_map.memory_places
    if function not in cached:
        cached[function] = dict(_memory_places(code_map, function))
    return cached[function]


def _memory_places(code_map: CodeMap, function: Function) -> Iterator[tuple[Local, int]]:
    seen = _first_writes(code_map, function)
    start = code_map.location_of(function)
    lists = {
        variable for variable in function.variables if start and _iterates_copy(variable, start)
    }
    offsets = _offsets(function.variables, lists)
    bases = {seen[each] - offset for each, offset in offsets.items() if each in seen}
    if len(bases) > 1:  # not as expected: what the code says is left
        yield from (item for item in seen.items() if _size(item[0].kind) == WORD_SIZE)
        return
    if function.is_internal:
        yield from _arguments(code_map, function)
    base = bases.pop() if bases else None
    for variable in function.variables:
        if variable in seen:
            yield variable, seen[variable]
        elif variable in offsets and base is not None:
            yield variable, base + offsets[variable]


def _arguments(code_map: CodeMap, function: Function) -> Iterator[tuple[Local, int]]:
    sizes = [_size(parameter.kind) for parameter in function.parameters]
    offsets: dict[str, int] = {}
    for number, each in enumerate(function.parameters):
        if all(sizes[:number]):
            offsets[each.name] = sum(size or 0 for size in sizes[:number])
    bases = {
        place - offsets[push.text]
        for place, opcode, _, push in _constant_accesses(code_map)
        if opcode == Op.MLOAD and push and push.function is function and push.text in offsets
    }
    if len(bases) == 1:
        base = bases.pop()
        for parameter in function.parameters:
            if parameter.name in offsets:
                yield argument(function, parameter), base + offsets[parameter.name]


def argument(function: Function, described: Parameter) -> Local:
    start, end = function.span
    return Local(described.name, described.kind, start, end, end)


def _iterates_copy(local: Local, function: Location) -> bool:
    before = function.file.text_at((function.span[0], local.assigned)) if local.name else ""
    match = LOOP.search(before)
    is_loop = match is not None and match[1] == local.name and local.assigned == local.since + 1
    iterated = match[2] if match and is_loop else ""
    return bool(COPIED.search(iterated)) and not iterated.startswith("range")


def _offsets(variables: Sequence[Local], lists: Collection[Local]) -> dict[Local, int]:
    # Nor have those inside the loops over copies of lists whose variables are `lists`.
    found: dict[Local, int] = {}
    for location, each in enumerate(variables):
        around = [
            other
            for other in variables[:location]
            if other.since <= each.since and each.until <= other.until
        ]
        sizes = [_size(other.kind) if other.kind else WORD_SIZE for other in around]
        if any(other in lists for other in around):
            continue
        if all(sizes) and all(other.name for other in around) and each.name:
            found[each] = sum(size or 0 for size in sizes)
    return found


def _constant_accesses(
    code_map: CodeMap,
) -> Iterator[tuple[int, int, Location | None, Location | None]]:
    # Memory that is accessed at an address pushed just before: the address, the opcode, its
    # location and that of the push.
    for push, access in pairwise(code_map.code_by_offset.values()):
        if access.opcode in ACCESSES and push.opcode in {Op.PUSH0, *PUSHES}:
            address = int.from_bytes(push.operand)
            location = code_map.location(access.offset)
            yield address, access.opcode, location, code_map.location(push.offset)


def _first_writes(code_map: CodeMap, function: Function) -> dict[Local, int]:
    declared = {(variable.since, variable.assigned): variable for variable in function.variables}
    found: dict[Local, set[int]] = {}
    empty: set[Local] = set()
    for pushed, opcode, location, _ in _constant_accesses(code_map):
        if opcode == Op.MLOAD or location is None or location.function is not function:
            continue
        local = declared.get(location.span)
        if local and (opcode == Op.MSTORE or _size(local.kind) != WORD_SIZE):
            found.setdefault(local, set()).add(pushed)
            if EMPTY.search(location.text):
                empty.add(local)
    return {
        local: min(places)
        for local, places in found.items()
        if len(places) == 1 and (_is_settled(local) or local in empty)
    }


def _is_settled(local: Local) -> bool:
    kind = parse_type(local.kind)
    return kind.is_word or (kind.kind in {Kind.BYTES, Kind.STRING} and bool(kind.size))
