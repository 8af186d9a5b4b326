"""Why a contract refuses a call before a statement of its function runs: what compilers check.

The selector, the value that is sent, the size of the call data and the values of the arguments are
checked by code of the compiler, which reverts without a reason.
"""

from __future__ import annotations

from typing import Any

from devchain.contracts.abi import Abi, Entry, decode_values
from devchain.contracts.abi_decoder import are_decoded, head_sizes
from devchain.contracts.code_map import enum_members
from devchain.contracts.names import Names
from devchain.contracts.source_parser import vyper_structs, with_numbers
from devchain.contracts.value_types import Kind, parse_type
from devchain.text import plural
from devchain.tracing.frames import Frame
from devchain.types import SELECTOR_SIZE

MAX_SHOWN = 3  # contracts that are named as having a function


def refusal(frame: Frame, names: Names) -> str:
    """Why the compiler's checks refuse a message, by the ABI; empty if they do not."""
    if not frame.reverted or frame.output:
        return ""
    if called := _called_entry(frame, names):
        entry, body, name = called
        if frame.value and entry.mutability != "payable":
            return f"{name} is not payable, and was sent {frame.value:,} wei"
        name = f"{name}({','.join(param.kind for param in entry.inputs)})"
        return _refused_arguments(entry, body, name) or _refused_lengths(frame, entry, body, name)
    abi = None if frame.is_creation else names.abi(frame.to)
    return _refused_by_fallback(frame, abi, names) if abi else ""


def lacks_function(frame: Frame, names: Names) -> bool:
    """Whether a message fails since the contract, whose ABI is known, has no function for it."""
    if frame.is_creation or not refusal(frame, names) or _called_entry(frame, names):
        return False
    abi = names.abi(frame.to)
    return abi is not None and abi.default_function(frame.input) is None


def _called_entry(frame: Frame, names: Names) -> tuple[Entry, bytes, str] | None:
    # The function or constructor that a message is for, the arguments, and its name.
    if frame.is_creation:
        if created := names.registry.find_by_init_code(frame.input):
            body = frame.input[len(created.creation.template) :]
            return created.abi.constructor, body, f"the constructor of {created.name}"
        return None
    abi = names.abi(frame.to)
    entry = abi.functions.get(frame.input[:SELECTOR_SIZE]) if abi else None
    if entry is None:
        return None
    contract = names.contract(frame.to) or "the contract"
    return entry, frame.input[SELECTOR_SIZE:], f"{contract}.{entry.name}"


def wrong_enum(frame: Frame, names: Names) -> str:
    """The argument that is no member of its enum, of a message that solc's code has refused.

    The members are those in the sources; empty if all arguments are members, or may be.
    """
    called = _called_entry(frame, names)
    if called is None or frame.path is None:
        return ""
    entry, body, _ = called
    texts = [file.text for file in frame.path.code_map.files.values()]
    values = entry.decode(body) or ()
    for number, (param, value) in enumerate(zip(entry.inputs, values, strict=False), start=1):
        kind = param.source_type
        members = enum_members(kind, texts) if kind.startswith("enum ") else []
        if members and isinstance(value, int) and value >= len(members):
            name, names_of = param.name or str(number), ", ".join(members)
            return f"{name} = {value} is no member of {kind}, which has {names_of}"
    return ""


def _refused_by_fallback(frame: Frame, abi: Abi, names: Names) -> str:
    data, contract = frame.input, names.contract(frame.to) or "the contract"
    if default := abi.default_function(data):
        is_refused = frame.value and default.mutability != "payable"
        return f"the {default.kind} function of {contract} is not payable" if is_refused else ""
    if not data:
        return f"{contract} has no receive function: it takes no call without data"
    if len(data) < SELECTOR_SIZE:
        return (
            f"call data of {plural(len(data), 'byte')} has no function selector, "
            f"and {contract} has no fallback function"
        )
    selector = data[:SELECTOR_SIZE]
    others = _owners(names, selector)
    return f"{contract} has no function with the selector 0x{selector.hex()}{others}"


def _owners(names: Names, selector: bytes) -> str:
    found = {
        f"{each.name}.{each.abi.functions[selector].signature}": None
        for each in names.registry
        if selector in each.abi.functions
    }
    shown = " and ".join(list(found)[:MAX_SHOWN])
    return f"; {shown} {'has' if len(found) == 1 else 'have'} it" if found else ""


def _refused_arguments(entry: Entry, body: bytes, name: str) -> str:
    sizes = head_sizes(entry.inputs)
    if len(body) < sum(sizes):
        what = "arguments" if entry.kind == "constructor" else "call data"
        least = f"{sum(sizes):,} at least"
        return f"{what} too short for {name}: {len(body):,} bytes after it, {least}"
    place = 0
    for number, (param, size) in enumerate(zip(entry.inputs, sizes, strict=True), start=1):
        word = body[place : place + size]
        if param.value_type.is_word and decode_values([param], word) is None:
            label = f"{number} ({param.name})" if param.name else str(number)
            return f"argument {label} of {name} is not a valid {param.kind}: 0x{word.hex()}"
        place += size
    if entry.decode(body) is None:
        return f"the arguments of {name} cannot be decoded: a size or an offset is out of range"
    return ""


def _refused_lengths(frame: Frame, entry: Entry, body: bytes, name: str) -> str:
    code_map = frame.path.code_map if frame.path else None
    called = code_map.called(frame.input) if code_map and code_map.is_vyper else None
    values = entry.decode(body) if called and called.function else None
    if called is None or called.function is None or values is None or not are_decoded(values):
        return ""
    given = zip(called.function.parameters, values, strict=False)  # the last may have defaults
    for number, (param, value) in enumerate(given, start=1):
        if found := too_long(param.kind, value, param.name, called.file.text):
            return f"argument {number} ({found[0]}) of {name} is too long: {found[1]}"
    return ""


MAX_ITEMS = 10_000  # values of a list that are looked at


def too_long(kind: str, value: Any, place: str, source: str) -> tuple[str, str] | None:
    """The part of a value that is longer than its type allows (`texts[1]`), and by how much.

    `kind` is the type as the text `source` of a module of Vyper has it.
    """
    kind = with_numbers(kind.strip(), source)
    known = parse_type(kind)
    size, unit = 0, ""
    if known.kind in {Kind.BYTES, Kind.STRING}:
        size = len(value.encode(errors="surrogatepass") if isinstance(value, str) else value)
        unit = "bytes"
    elif known.kind is Kind.LIST:
        size, unit = len(value), "items"
    if known.size and unit and size > known.size:
        return place, f"{size:,} {unit}, and {kind} has at most {known.size:,}"
    if known.kind in {Kind.ARRAY, Kind.LIST} and known.element:
        items = enumerate(value[:MAX_ITEMS])
        parts = [(known.element.text, item, f"{place}[{index}]") for index, item in items]
    else:
        members = vyper_structs(source).get(kind, ()) if isinstance(value, tuple) else ()
        pairs = zip(members, value if members else (), strict=False)
        parts = [(written, item, f"{place}.{name}") for (name, written), item in pairs]
    return next(filter(None, (too_long(*part, source) for part in parts)), None)
