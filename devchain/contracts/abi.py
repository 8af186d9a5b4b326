"""ABIs as values: functions, events and errors of a contract, found by selector or topic.

eth-abi takes a while to load, so it waits until a value is to be encoded or decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from eth_hash.auto import keccak

from devchain.errors import InvalidInput
from devchain.types import Address, Hash32

SELECTOR = 4
READ_ONLY = frozenset({"view", "pure"})
DEEPEST_TUPLE = 32
LONGEST_TYPE = 200
SHOWN = 80
LONGEST_VALUE = 200

MISFITS = (LookupError, OverflowError, TypeError, ValueError)
"""What is raised where a value is not of its parameter's type."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter or a returned value; `kind` is its canonical ABI type, tuples spelled out."""

    name: str
    kind: str
    components: tuple[Param, ...] = ()
    indexed: bool = False

    @classmethod
    def from_json(cls, described: Any, depth: int = 0) -> Param:
        """Read one entry of `inputs`, `outputs` or `components`."""
        kind = described["type"]
        if len(kind) > LONGEST_TYPE:
            raise ValueError("a type's name is too long")
        parts: tuple[Param, ...] = ()
        if kind.startswith("tuple"):
            if depth > DEEPEST_TUPLE:
                raise ValueError("a tuple type nests too deeply")
            parts = tuple(cls.from_json(each, depth + 1) for each in described["components"])
            kind = f"({','.join(each.kind for each in parts)}){kind.removeprefix('tuple')}"
        from eth_abi.abi import is_encodable_type

        if not is_encodable_type(kind):
            raise ValueError(f"{kind!r} is no ABI type")
        return cls(str(described.get("name", "")), kind, parts, described.get("indexed") is True)


@dataclass(frozen=True)
class Entry:
    """A function, event, error or constructor of an ABI."""

    kind: str
    name: str
    inputs: tuple[Param, ...]
    outputs: tuple[Param, ...] = ()
    mutability: str = "nonpayable"
    anonymous: bool = False

    @cached_property
    def signature(self) -> str:
        """Name and types, as they are hashed: `transfer(address,uint256)`."""
        return f"{self.name}({','.join(each.kind for each in self.inputs)})"

    @cached_property
    def topic(self) -> Hash32:
        """keccak-256 of the signature: an event's first topic."""
        return Hash32(keccak(self.signature.encode()))

    @property
    def selector(self) -> bytes:
        """The first four bytes of a call to it, or of a revert with it."""
        return self.topic[:SELECTOR]

    @property
    def is_read_only(self) -> bool:
        """Whether it promises to change nothing."""
        return self.mutability in READ_ONLY

    def encode(self, arguments: Sequence[object]) -> bytes:
        """The ABI encoding of those arguments, without a selector; raises `InvalidInput`.

        Addresses may be bytes, hex text or anything with an `address`; bytes may be hex text; a
        tuple may be a mapping by name.
        """
        if len(arguments) != len(self.inputs):
            wanted = ", ".join(f"{each.kind} {each.name}".rstrip() for each in self.inputs)
            raise InvalidInput(
                f"{self.name}({wanted}) takes {len(self.inputs)} arguments, got {len(arguments)}"
            )
        try:
            return _encoded(self.inputs, arguments)
        except MISFITS:
            raise InvalidInput(
                f"wrong arguments of {self.signature}: {self._misfit(arguments)}"
            ) from None

    def _misfit(self, arguments: Sequence[object]) -> str:
        """The first argument that is not what its parameter wants, in words."""
        pairs = zip(self.inputs, arguments, strict=True)
        kind, value = next(pair for pair in pairs if not _fits(*pair))
        wanted, given = f"{kind.kind} {kind.name}".rstrip(), ascii(value)
        return f"want {wanted}, got {given if len(given) <= SHOWN else given[:SHOWN] + '...'}"

    def decode(self, body: bytes) -> tuple[Any, ...] | None:
        """The arguments in bytes without their selector; None if they are not its."""
        return decode_values(self.inputs, body)

    def decode_output(self, answer: bytes) -> tuple[Any, ...] | None:
        """The returned values; None if the bytes are not such."""
        return decode_values(self.outputs, answer)


@dataclass(frozen=True)
class Abi:
    """All entries of a contract's ABI."""

    entries: tuple[Entry, ...]
    described: tuple[Mapping[str, Any], ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def from_json(cls, described: object) -> Abi:
        """Read an ABI as compilers write it, a list of objects; raises `InvalidInput`."""
        try:
            if not isinstance(described, list):
                raise TypeError("want a list of objects")
            listed: list[Mapping[str, Any]] = described
            entries = tuple(_entry(each) for each in listed)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(f"this is not an ABI: {error!s}"[:300]) from None
        return cls(entries, tuple(listed))

    def _all(self, kind: str) -> Iterable[Entry]:
        return (each for each in self.entries if each.kind == kind)

    @cached_property
    def functions(self) -> dict[bytes, Entry]:
        """Functions by selector."""
        return {each.selector: each for each in self._all("function")}

    @cached_property
    def errors(self) -> dict[bytes, Entry]:
        """Custom errors by selector."""
        return {each.selector: each for each in self._all("error")}

    @cached_property
    def events(self) -> dict[bytes, Entry]:
        """Events by first topic; anonymous ones have none."""
        return {each.topic: each for each in self._all("event") if not each.anonymous}

    @cached_property
    def constructor(self) -> Entry:
        """The constructor; one without parameters where none is described."""
        return next(iter(self._all("constructor")), Entry("constructor", "constructor", ()))

    def named(self, name: str) -> list[Entry]:
        """The functions of that name, or of that full signature."""
        return [each for each in self._all("function") if name in (each.name, each.signature)]


def decode_values(kinds: Sequence[Param], body: bytes) -> tuple[Any, ...] | None:
    """Decoded values; addresses are 20 bytes. None if the bytes are of other types."""
    from eth_abi.abi import decode
    from eth_abi.exceptions import DecodingError

    try:
        decoded = decode([each.kind for each in kinds], body)
    except (DecodingError, OverflowError, ValueError):
        return None
    return tuple(_value(kind, value) for kind, value in zip(kinds, decoded, strict=True))


def _entry(described: Mapping[str, Any]) -> Entry:
    kind = described.get("type", "function")
    legacy = "view" if described.get("constant") else "nonpayable"
    return Entry(
        kind=str(kind),
        name=str(described.get("name", kind)),
        inputs=tuple(Param.from_json(each) for each in described.get("inputs", ())),
        outputs=tuple(Param.from_json(each) for each in described.get("outputs", ())),
        mutability=str(described.get("stateMutability", legacy)),
        anonymous=described.get("anonymous") is True,
    )


def _encoded(kinds: Sequence[Param], given: Sequence[object]) -> bytes:
    from eth_abi.abi import encode
    from eth_abi.exceptions import EncodingError

    plain = [_plain(kind, value) for kind, value in zip(kinds, given, strict=True)]
    try:
        return encode([each.kind for each in kinds], plain)
    except EncodingError as error:
        raise ValueError from error


def _fits(kind: Param, value: object) -> bool:
    try:
        _encoded([kind], [value])
    except MISFITS:
        return False
    return True


def _item(kind: Param) -> Param:
    """What an array holds."""
    return Param(kind.name, kind.kind[: kind.kind.rindex("[")], kind.components)


def _value(kind: Param, value: Any) -> Any:
    if kind.kind.endswith("]"):
        return [_value(_item(kind), each) for each in value]
    if kind.components:
        return tuple(_value(each, part) for each, part in zip(kind.components, value, strict=True))
    return Address(bytes.fromhex(value[2:])) if kind.kind == "address" else value


def _plain(kind: Param, value: Any) -> Any:
    """A value as eth-abi takes it."""
    if kind.kind.endswith("]") and isinstance(value, list | tuple):
        return [_plain(_item(kind), each) for each in value]
    if kind.components:
        parts = [value[each.name] for each in kind.components] if _is_map(value) else value
        if not isinstance(parts, list | tuple) or len(parts) != len(kind.components):
            return value  # eth-abi says what is wrong with it
        return tuple(_plain(each, part) for each, part in zip(kind.components, parts, strict=True))
    if kind.kind == "address":
        return getattr(value, "address", value)
    if kind.kind.startswith("bytes") and isinstance(value, str):
        return bytes.fromhex(value.removeprefix("0x"))
    return value


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A call, an event or an error read with its ABI: its entry and the values by position."""

    entry: Entry
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The name of the function, event or error."""
        return self.entry.name

    @property
    def named(self) -> dict[str, Any]:
        """The values by parameter name; one without a name goes by its position."""
        pairs = zip(self.entry.inputs, self.arguments, strict=True)
        return {each.name or str(place): value for place, (each, value) in enumerate(pairs)}

    def __getitem__(self, key: str | int) -> Any:
        """A value by name or position."""
        return self.arguments[key] if isinstance(key, int) else self.named[key]

    def __str__(self) -> str:
        return f"{self.name}({format_arguments(self.entry.inputs, self.arguments)})"


def decode_call(abi: Abi, call_data: bytes) -> Decoded | None:
    """Which function is called with what; None if the ABI does not know."""
    return _decoded(abi.functions.get(call_data[:SELECTOR]), call_data[SELECTOR:])


def decode_error(abi: Abi, payload: bytes) -> Decoded | None:
    """The custom error in a revert payload; None if the ABI does not know it."""
    return _decoded(abi.errors.get(payload[:SELECTOR]), payload[SELECTOR:])


def decode_event(abi: Abi, topics: Sequence[Hash32], body: bytes) -> Decoded | None:
    """The event a log holds; None if the ABI does not know it.

    An indexed parameter of dynamic size is only its hash, 32 bytes, as the log has it.
    """
    entry = abi.events.get(topics[0]) if topics else None
    if entry is None:
        return None
    inputs = entry.inputs
    indexed = [each for each in inputs if each.indexed]
    found = decode_values([each for each in inputs if not each.indexed], body)
    if found is None or len(indexed) != len(topics) - 1:
        return None
    rest = iter(found)
    words = iter(topics[1:])
    arguments = (
        _indexed(each, next(words)) if each.indexed else next(rest) for each in entry.inputs
    )
    return Decoded(entry, tuple(arguments))


def format_arguments(kinds: Sequence[Param], arguments: Sequence[Any]) -> str:
    """Arguments as people read them: `to=0x12.., amount=10`."""
    pairs = zip(kinds, arguments, strict=True)
    return ", ".join(
        f"{each.name}={format_value(it)}" if each.name else format_value(it) for each, it in pairs
    )


def format_value(value: Any) -> str:
    """One value as people read it: addresses and bytes as hex, long ones shortened."""
    if isinstance(value, str):
        shown = f'"{value}"'
    elif isinstance(value, bytes):
        shown = f"0x{value.hex()}"
    elif isinstance(value, bool):
        return "true" if value else "false"
    elif isinstance(value, tuple):
        return f"({', '.join(map(format_value, value))})"
    elif isinstance(value, list):
        shown = f"[{', '.join(map(format_value, value))}]"
    else:
        shown = str(value)
    return shown if len(shown) <= LONGEST_VALUE else shown[: LONGEST_VALUE - 3] + "..."


def _decoded(entry: Entry | None, body: bytes) -> Decoded | None:
    arguments = entry.decode(body) if entry else None
    return Decoded(entry, arguments) if entry and arguments is not None else None


def _indexed(kind: Param, word: Hash32) -> Any:
    is_hash = kind.kind in {"string", "bytes"} or kind.kind.endswith(("]", ")"))
    found = None if is_hash else decode_values([kind], word)
    return found[0] if found else word
