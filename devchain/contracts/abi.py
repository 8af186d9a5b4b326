"""Contract ABIs: parsing, encoding arguments, decoding calls, errors, events and return values.

eth-abi takes long to import, so it is imported when a value is encoded that takes more than a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from eth_hash.auto import keccak

from devchain.contracts.abi_decoder import Undecoded, are_decoded, by_name, decode
from devchain.contracts.abi_words import decode_words, encode_words
from devchain.contracts.value_types import (
    DECIMAL,
    DECIMAL_KIND,
    PLACES,
    AddressText,
    Kind,
    ValueType,
    decimal_text,
    parse_number,
    parse_type,
    scaled,
    split_list,
    unscaled,
)
from devchain.errors import InvalidInput
from devchain.text import misspelt, plural, shown_argument
from devchain.types import Hash32, checksum, warn_of_checksum

SELECTOR = 4
READ_ONLY = frozenset({"view", "pure"})
MAX_TUPLE_DEPTH = 10  # the time that eth-abi takes for a type doubles with each level
MAX_TYPE_LENGTH = 200
MAX_DIMENSIONS = 16  # dimensions that an array type may have

MAX_VALUE_LENGTH = 200  # characters, about; of longer arrays whole items are left out
SHOWN_BYTES = 50  # bytes that a text has of longer ones
MAX_ANONYMOUS = 16  # anonymous events of a contract that a log is compared with
ENTRY_KINDS = ("constructor", "error", "event", "fallback", "function", "receive")

ARRAYS = re.compile(r"(\[([1-9]\d*)?\])*", re.ASCII)
NAME = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*")
EXAMPLE = "write it like 'balanceOf(address)(uint256)'"
MAX_PLACES = 80  # decimal places of a fixed-point type

EnumText = Callable[[str, int], str]  # the member of an enum, `enum Box.State`, empty if unknown

ENCODING_ERRORS = (LookupError, OverflowError, TypeError, ValueError)  # for values of a wrong type


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter or returned value; `kind` is its ABI type, a tuple as `(uint256,address)`.

    `source_type` is the type in the source if the compiler wrote it, such as `enum Box.State`;
    vyper writes it of decimals alone, `decimal`, for arrays of them too.
    """

    name: str
    kind: str
    components: tuple[Param, ...] = ()
    indexed: bool = False
    source_type: str = field(default="", compare=False)

    @classmethod
    def from_json(cls, described: Any, depth: int = 0) -> Param:
        """Parse an item of `inputs`, `outputs` or `components`; raises `ValueError`."""
        kind = described["type"]
        if len(kind) > MAX_TYPE_LENGTH:
            raise ValueError("a type's name is too long")
        if kind.count("[") > MAX_DIMENSIONS:
            raise ValueError("an array type nests too deeply")
        parts: tuple[Param, ...] = ()
        if kind.startswith("tuple"):
            if depth > MAX_TUPLE_DEPTH:
                raise ValueError("a tuple type nests too deeply")
            parts = tuple(
                cls.from_json(component, depth + 1) for component in described["components"]
            )
            kind = f"({','.join(part.kind for part in parts)}){kind.removeprefix('tuple')}"
        if not _is_type(kind):
            raise ValueError(f"{kind!r} is no ABI type")
        return cls(
            str(described.get("name", "")),
            kind,
            parts,
            described.get("indexed") is True,
            str(described.get("internalType", ""))[:MAX_TYPE_LENGTH],
        )

    @classmethod
    def from_text(cls, kind: str) -> Param:
        """Parse a type as signatures have it, or Vyper's `decimal`; raises `InvalidInput`."""
        try:
            if len(kind) > MAX_TYPE_LENGTH:
                raise ValueError(kind)
            return cls.from_json(_described_type(kind))
        except (ValueError, KeyError):
            raise InvalidInput(
                f"{kind!r} is no ABI type: give one like uint256, address[] or (bool,bytes32)"
            ) from None

    @property
    def element(self) -> Param:
        source_type = self.source_type
        if source_type != DECIMAL:
            source_type = source_type.rpartition("[")[0]
        return Param(
            self.name, self.kind[: self.kind.rindex("[")], self.components, source_type=source_type
        )

    @property
    def described(self) -> str:
        """The type with Vyper's decimals as in its sources, `decimal[2]`."""
        if self.components:
            parts = ",".join(component.described for component in self.components)
            return f"({parts}){self.kind[self.kind.rindex(')') + 1 :]}"
        base, bracket, sizes = self.kind.partition("[")
        is_decimal = self.source_type == DECIMAL and base == DECIMAL_KIND
        return DECIMAL + bracket + sizes if is_decimal else self.kind

    @property
    def is_decimal(self) -> bool:
        """Whether it is a decimal of Vyper since 0.4, with integers as values."""
        return self.source_type == DECIMAL and self.kind == DECIMAL_KIND

    @property
    def value_type(self) -> ValueType:
        return parse_type(DECIMAL if self.is_decimal else self.kind)

    def parse_number(self, text: str) -> int | Decimal:
        (low, high), places = self.value_type.bounds, self.value_type.places
        number = parse_number(text, low, high, places)
        return number if self.is_decimal else scaled(number, places)

    @property
    def number_limits(self) -> str:
        """Which numbers are values of a fixed-point type; empty for other types."""
        (low, high), places = self.value_type.bounds, self.value_type.places
        if not places:
            return ""
        limits = f"{decimal_text(low, places)} to {decimal_text(high, places)}"
        return f"a number with at most {plural(places, 'digit')} behind the point, {limits}"

    def encode(self, value: object) -> bytes:
        try:
            return _encode([self], [value])
        except ENCODING_ERRORS:
            wanted = f"{self.described} {self.name}".rstrip()
            hint = value_hint(self, value)
            raise InvalidInput(f"want {wanted}, got {shown_argument(value)}{hint}") from None

    @property
    def is_hashed(self) -> bool:
        """Whether logs have it as a hash: an indexed parameter of a dynamic type."""
        return self.indexed and (self.kind in {"string", "bytes"} or self.kind.endswith(("]", ")")))


def _is_type(kind: str) -> bool:
    end = kind.rfind(")") + 1
    base, bracket, sizes = kind[end:].partition("[")
    if not ARRAYS.fullmatch(bracket + sizes):
        return False
    if end:
        return not base and kind[:end] != "()"
    known = parse_type(base)
    if base == DECIMAL or known.location:
        return False
    match known.kind:
        case Kind.NUMBER:
            return known.size % 8 == 0 and known.places <= MAX_PLACES
        case Kind.ADDRESS | Kind.FUNCTION:
            return base in {"address", "function"}
    return known.kind in {Kind.BOOL, Kind.FIXED_BYTES, Kind.BYTES, Kind.STRING}


@dataclass(frozen=True)
class Entry:
    """A function, event, error or constructor of an ABI."""

    kind: str
    name: str
    inputs: tuple[Param, ...]
    outputs: tuple[Param, ...] = ()
    mutability: str = "nonpayable"
    anonymous: bool = False

    @classmethod
    def from_signature(cls, text: str) -> Entry:
        """A function by `name(types)` or `name(types)(types)`; raises `InvalidInput`."""
        from eth_abi.grammar import TYPE_ALIAS_RE, TYPE_ALIASES

        aliases = {**TYPE_ALIASES, "function": "function"}  # its name is in selectors
        name = NAME.match(text)
        types = text[name.end() :].replace(" ", "") if name else ""
        lists = []
        try:
            for group in types.replace(")(", ") (").split(" "):
                if not (group.startswith("(") and group.endswith(")")):
                    raise ValueError(group)
                kind = TYPE_ALIAS_RE.sub(lambda found: aliases[found[0]], group)
                lists.append(() if group == "()" else Param.from_text(kind).components)
            inputs, outputs = lists if len(lists) > 1 else (lists[0], ())
        except (ValueError, InvalidInput):
            raise InvalidInput(f"{text!r} is not a signature; {EXAMPLE}") from None
        return cls("function", name[1] if name else "", inputs, outputs)

    @cached_property
    def signature(self) -> str:
        """Name and parameter types: `transfer(address,uint256)`."""
        return f"{self.name}({','.join(param.kind for param in self.inputs)})"

    @property
    def described(self) -> str:
        """The signature with the names of the parameters: `transfer(address to, uint256 value)`."""
        parts = (f"{param.described} {param.name}".rstrip() for param in self.inputs)
        return f"{self.name}({', '.join(parts)})"

    @cached_property
    def topic(self) -> Hash32:
        return Hash32(keccak(self.signature.encode()))

    @property
    def selector(self) -> bytes:
        """First four bytes of the data of a call, or of a revert with a custom error."""
        return self.topic[:SELECTOR]

    @property
    def is_read_only(self) -> bool:
        return self.mutability in READ_ONLY

    def encode(self, arguments: Sequence[object]) -> bytes:
        """ABI-encode arguments, without the selector; raises `InvalidInput`.

        An address may be 20 bytes, hex text or an object with an attribute `address`; bytes may be
        hex text; a tuple may be a mapping by component name. A decimal of Vyper may be a `Decimal`
        or, as it is decoded, an integer: 10**10 times the number.
        """
        if len(arguments) != len(self.inputs):
            raise InvalidInput(
                f"{self.described} takes {plural(len(self.inputs), 'argument')}, "
                f"got {len(arguments)}"
            )
        return _encode_checked(self.inputs, arguments, f"arguments of {self.signature}")

    def encode_output(self, values: Sequence[object]) -> bytes:
        if len(values) != len(self.outputs):
            raise InvalidInput(
                f"{self.signature} returns {plural(len(self.outputs), 'value')}, got {len(values)}"
            )
        return _encode_checked(self.outputs, values, f"value returned by {self.signature}")

    def decode(self, body: bytes) -> tuple[Any, ...] | None:
        return decode_values(self.inputs, body)

    def decode_output(self, output: bytes) -> tuple[Any, ...] | None:
        return decode_values(self.outputs, output)


@dataclass(frozen=True)
class Abi:
    """A contract's ABI; `described` is the JSON it was parsed from."""

    entries: tuple[Entry, ...]
    described: tuple[Mapping[str, Any], ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def from_json(cls, described: object) -> Abi:
        try:
            if not isinstance(described, list):
                raise TypeError("want a list of objects")
            items: list[Mapping[str, Any]] = described
            entries = tuple(_parse_entry(item) for item in items)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(f"this is not an ABI: {error!s}"[:300]) from None
        return cls(entries, tuple(items))

    def __repr__(self) -> str:
        functions, events, errors = map(len, (self.functions, self.events, self.errors))
        return f"<Abi with {functions} functions, {events} events, {errors} errors>"

    def to_json(self) -> list[dict[str, Any]]:
        """The ABI in JSON, a list of objects of its own, as web3.py and other tools take it."""
        return [dict(entry) for entry in self.described]

    def _entries(self, kind: str) -> Iterable[Entry]:
        return (entry for entry in self.entries if entry.kind == kind)

    @cached_property
    def functions(self) -> dict[bytes, Entry]:
        return {entry.selector: entry for entry in self._entries("function")}

    @cached_property
    def errors(self) -> dict[bytes, Entry]:
        return {entry.selector: entry for entry in self._entries("error")}

    @cached_property
    def events(self) -> dict[bytes, Entry]:
        """Events by first topic, without anonymous ones."""
        return {entry.topic: entry for entry in self._entries("event") if not entry.anonymous}

    def has(self, kind: str) -> bool:
        """Whether it has a `fallback`, a `receive` function, or another kind of entry."""
        return any(True for _ in self._entries(kind))

    def default_function(self, call_data: bytes) -> Entry | None:
        """What takes a call that is for no function; None if the call is refused.

        It is `receive` for a call without data if there is one, else `fallback`.
        """
        kinds = ("fallback",) if call_data else ("receive", "fallback")
        return next((entry for kind in kinds for entry in self._entries(kind)), None)

    @cached_property
    def constructor(self) -> Entry:
        """The constructor, or one without parameters if the ABI has none."""
        return next(iter(self._entries("constructor")), Entry("constructor", "constructor", ()))

    def functions_named(self, name: str) -> tuple[Entry, ...]:
        return self._functions_by_name.get(name, ())

    @cached_property
    def _functions_by_name(self) -> dict[str, tuple[Entry, ...]]:
        functions: dict[str, tuple[Entry, ...]] = {}
        for entry in self._entries("function"):
            for name in (entry.name, entry.signature):
                functions[name] = (*functions.get(name, ()), entry)
        return functions


def decode_values(params: Sequence[Param], body: bytes) -> tuple[Any, ...] | None:
    """Decode values, addresses as `AddressBytes`; None if the bytes do not match the types.

    `Undecoded` stands for values that are many times as large as the bytes.
    """
    words = decode_words(params, body)
    if words is not None:
        return words
    try:
        return decode(params, body)
    except ValueError:
        return None


def _described_type(kind: str) -> dict[str, Any]:
    if kind.startswith("("):
        end = kind.rfind(")")
        parts = map(_described_type, split_list(kind[1:end]))
        return {"type": f"tuple{kind[end + 1 :]}", "components": [*parts]}
    base, bracket, sizes = kind.partition("[")
    if base == DECIMAL:
        return {"type": DECIMAL_KIND + bracket + sizes, "internalType": DECIMAL}
    return {"type": kind}


def _parse_entry(described: Mapping[str, Any]) -> Entry:
    kind = described.get("type", "function")
    if kind not in ENTRY_KINDS:
        meant = misspelt(str(kind), ENTRY_KINDS)
        hint = f"did you mean {meant}?" if meant else f"there are {', '.join(ENTRY_KINDS)}"
        raise ValueError(f"{shown_argument(kind)} is no type of an entry: {hint}")
    legacy = "payable" if described.get("payable") else "nonpayable"
    legacy = "view" if described.get("constant") else legacy
    return Entry(
        kind=str(kind),
        name=str(described.get("name", kind)),
        inputs=tuple(Param.from_json(param) for param in described.get("inputs", ())),
        outputs=tuple(Param.from_json(param) for param in described.get("outputs", ())),
        mutability=str(described.get("stateMutability", legacy)),
        anonymous=described.get("anonymous") is True,
    )


def _encode(params: Sequence[Param], arguments: Sequence[object]) -> bytes:
    words = encode_words(params, arguments)
    if words is not None:
        return words
    from eth_abi.abi import encode
    from eth_abi.exceptions import EncodingError

    prepared = [_prepare(param, value) for param, value in zip(params, arguments, strict=True)]
    try:
        return encode([param.kind for param in params], prepared)
    except EncodingError as error:
        raise ValueError from error


def _encode_checked(params: Sequence[Param], values: Sequence[object], what: str) -> bytes:
    try:
        return _encode(params, values)
    except ENCODING_ERRORS:
        for param, value in zip(params, values, strict=True):
            try:
                param.encode(value)
            except InvalidInput as error:
                raise InvalidInput(f"wrong {what}: {error}") from None
        raise


def _prepare(param: Param, value: Any) -> Any:
    if param.kind.endswith("]") and isinstance(value, list | tuple):
        return [_prepare(param.element, item) for item in value]
    if param.components:
        parts = (
            [value[component.name] for component in param.components]
            if isinstance(value, Mapping)
            else value
        )
        if not isinstance(parts, list | tuple) or len(parts) != len(param.components):
            return value  # eth-abi rejects it
        return tuple(
            _prepare(each, part) for each, part in zip(param.components, parts, strict=True)
        )
    if param.kind == "address":
        found = getattr(value, "address", value)
        if found is value and isinstance(value, str):  # typed, not of an account
            warn_of_checksum(value)
        return found
    if param.is_decimal and isinstance(value, Decimal):
        return unscaled(value, PLACES)
    if param.kind.startswith("bytes") and isinstance(value, str):
        value = bytes.fromhex(value.removeprefix("0x"))
    if lacks_bytes(param.kind, value):  # eth-abi pads it, at the right
        raise ValueError("too few bytes")
    return value


def lacks_bytes(kind: str, value: object) -> bool:
    known = parse_type(kind)
    if known.kind is not Kind.FIXED_BYTES or not isinstance(value, bytes | bytearray):
        return False
    return len(value) < known.size


def value_hint(param: Param, value: object) -> str:
    """What to do about a wrong number, or about bytes of another length; empty otherwise."""
    what = {float: ", a float", str: ", text"}.get(type(value), "")
    if limits := param.number_limits:
        if what:
            return f'{what}: give a decimal.Decimal, such as Decimal("1.5")'
        times = f", as an integer times 10**{PLACES}" if isinstance(value, int) else ""
        return f": give {limits}{times if param.is_decimal else ''}"
    if isinstance(value, float) and param.value_type.kind is Kind.NUMBER:
        return f"{what}: give a whole number, like 10**18"
    is_sized = param.value_type.kind is Kind.FIXED_BYTES
    if is_sized and isinstance(value, bytes):
        is_short = len(value) < param.value_type.size
        padding = ": pad it with zeros, as Solidity pads literals" if is_short else ""
        return f", which has {plural(len(value), 'byte')}{padding}"
    return ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded call, event or error: its ABI entry and the values by position."""

    entry: Entry
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """Name of the function, event or error."""
        return self.entry.name

    @property
    def named(self) -> dict[str, Any]:
        """Values by parameter name; a parameter without a name is keyed by its position."""
        return by_name(self.entry.inputs, self.arguments)

    def is_encoded_as(self, data: bytes) -> bool:
        pairs = zip(self.entry.inputs, self.arguments, strict=True)
        in_data = [(param, value) for param, value in pairs if not param.indexed]
        params, values = [param for param, _ in in_data], [value for _, value in in_data]
        return are_decoded(values) and _encode(params, values) == data

    def __getitem__(self, key: str | int) -> Any:
        """A value by name or position; raises `KeyError` or `IndexError` that names what it has."""
        __tracebackhide__ = True
        params = self.entry.inputs
        if isinstance(key, int) and -len(params) <= key < len(params):
            return self.arguments[key]
        if isinstance(key, str) and key in self.named:
            return self.named[key]
        what = f"no value {shown_argument(key)}: it is {self.entry.described}"
        raise (IndexError if isinstance(key, int) else KeyError)(f"{self.name} has {what}")

    @property
    def positional(self) -> str:
        """Name and values as Hardhat writes them: without names, addresses and bytes in quotes."""
        values = map(_quoted, self.entry.inputs, self.arguments)
        return f"{self.name}({', '.join(values)})"

    def __str__(self) -> str:
        return self.text()

    def text(
        self, address_text: AddressText | None = None, enum_text: EnumText | None = None
    ) -> str:
        """As text: `transfer(to=0x12.., amount=10)`, with addresses as the function writes them."""
        inputs = self.entry.inputs
        return f"{self.name}({format_arguments(inputs, self.arguments, address_text, enum_text)})"


def decode_call(abi: Abi, call_data: bytes) -> Decoded | None:
    return decode_entry(abi.functions.get(call_data[:SELECTOR]), call_data)


def decode_event(abi: Abi, topics: Sequence[Hash32], body: bytes) -> Decoded | None:
    """Decode a log; None if the ABI does not have the event.

    Indexed parameters of dynamic types are in logs as hashes: their value is those 32 bytes. An
    anonymous event is found if it is the only one that has as many topics and such data.
    """
    named = abi.events.get(topics[0]) if topics else None
    if named is not None:
        return decode_log(named, topics, body)
    anonymous = [entry for entry in abi.entries if entry.kind == "event" and entry.anonymous]
    decoded = [decode_log(entry, topics, body) for entry in anonymous[:MAX_ANONYMOUS]]
    exact = [event for event in decoded if event and event.is_encoded_as(body)]
    return exact[0] if len(exact) == 1 else None


def decode_log(entry: Entry, topics: Sequence[Hash32], body: bytes) -> Decoded | None:
    """Decode a log of that event; None if topics and data are not of its types."""
    from_topics = iter(topics if entry.anonymous else topics[1:])
    indexed = [param for param in entry.inputs if param.indexed]
    if len(indexed) + (not entry.anonymous) != len(topics):
        return None
    values = decode_values([param for param in entry.inputs if not param.indexed], body)
    if values is None:
        return None
    from_data = iter(values)
    arguments = (
        _decode_topic(param, next(from_topics)) if param.indexed else next(from_data)
        for param in entry.inputs
    )
    return Decoded(entry, tuple(arguments))


def format_arguments(
    params: Sequence[Param],
    arguments: Sequence[Any],
    address_text: AddressText | None = None,
    enum_text: EnumText | None = None,
    limit: int = MAX_VALUE_LENGTH,
) -> str:
    """Arguments as text: `to=0x12.., amount=10`, with addresses and enums as functions write them.

    `enum_text` is empty for a number that is no member of an enum, or of one that is not known.
    Arrays have items up to `limit` characters, about.
    """
    pairs = zip(params, arguments, strict=True)
    texts = (
        (param.name, _format(param, value, address_text or checksum, enum_text, limit))
        for param, value in pairs
    )
    return ", ".join(f"{name}={text}" if name else text for name, text in texts)


def format_value(value: Any) -> str:
    """A value as text: text quoted, bytes as hex, long values shortened."""
    if isinstance(value, str):
        shown = value if len(value) <= MAX_VALUE_LENGTH else value[: MAX_VALUE_LENGTH - 3] + "..."
        escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, bytes):
        is_undecoded = isinstance(value, Undecoded)
        if 2 * len(value) <= MAX_VALUE_LENGTH and not is_undecoded:
            return _hex(value)
        why = ", too large to decode" if is_undecoded else ""
        return f"{_hex(value[:SHOWN_BYTES])}... ({len(value):,} bytes{why})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"({', '.join(map(format_value, value))})"
    return f"[{_format_items(value, format_value)}]" if isinstance(value, list) else str(value)


def _format(  # noqa: PLR0911  # by type
    param: Param, value: Any, address_text: AddressText, enum_text: EnumText | None, limit: int
) -> str:
    if param.is_hashed:
        return f"{_hex(value)} (hash)"
    if isinstance(value, Undecoded):
        return format_value(value)
    if param.kind.endswith("]"):
        element = param.element

        def item(each: Any) -> str:
            return _format(element, each, address_text, enum_text, limit)

        return f"[{_format_items(value, item, limit)}]"
    if param.components:
        return f"({format_arguments(param.components, value, address_text, enum_text, limit)})"
    if enum_text and param.source_type.startswith("enum ") and isinstance(value, int):
        return enum_text(param.source_type, value) or str(value)
    if param.value_type.places:
        return number_text(param, value)
    return address_text(value) if param.kind == "address" else format_value(value)


def number_text(param: Param, value: int | Decimal) -> str:
    """A number as text; a fixed-point one as Vyper's sources have it, `-2.5`, `3.0`."""
    places = param.value_type.places
    if not places:
        return str(value)
    return decimal_text(value if isinstance(value, int) else unscaled(value, places), places)


def _format_items(
    values: Sequence[Any], item_text: Callable[[Any], str], limit: int = MAX_VALUE_LENGTH
) -> str:
    shown: list[str] = []
    length = 0
    for value in values:
        shown.append(item_text(value))
        length += len(shown[-1]) + len(", ")
        if length >= limit and len(shown) < len(values):
            return f"{', '.join(shown)}, ... {len(values) - len(shown):,} more"
    return ", ".join(shown)


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"


def _quoted(param: Param, value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_quoted(param.element, item) for item in value)}]"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_quoted, param.components, value))}]"
    if param.kind == "address":
        return f'"{checksum(value)}"'
    if isinstance(value, bytes):
        return format_value(value) if isinstance(value, Undecoded) else f'"0x{value.hex()}"'
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def decode_entry(entry: Entry | None, data: bytes) -> Decoded | None:
    """Decode the arguments after a selector; None without an entry, or if they are not of it."""
    arguments = entry.decode(data[SELECTOR:]) if entry else None
    return Decoded(entry, arguments) if entry and arguments is not None else None


def _decode_topic(param: Param, word: Hash32) -> Any:
    found = None if param.is_hashed else decode_values([param], word)
    return found[0] if found else word
