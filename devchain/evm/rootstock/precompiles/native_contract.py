"""Precompiled contracts with an ABI: methods by selector, their gas and upgrades, ABI coding.

The ABI coding is that of rskj, which is more lenient than Solidity's: arguments that are missing
after a bare selector are zero, the offset of a dynamic argument may be cut short at its end,
integers are signed whatever their type, offsets and lengths are cut to 32 bits, and an empty
`bytes` is encoded with a word of padding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eth.abc import ComputationAPI
from eth.exceptions import VMError
from eth_hash.auto import keccak

from devchain.evm.rootstock.upgrades import first_upgrade
from devchain.networks import LOCAL, is_since
from devchain.types import Address

if TYPE_CHECKING:
    from devchain.state.upstream_state import UpstreamState  # which imports the upstream's client

WORD = 32
SELECTOR = 4
DYNAMIC = ("bytes", "string")


class PrecompileFailed(VMError):
    """A precompiled contract rejected its input; the calling contract gets unused gas back."""

    burns_gas = False


class Malformed(PrecompileFailed, ValueError):
    """Bytes of the input, or of the storage, are not what they should be."""


class PrecompileUnsupported(VMError):
    """The real node's precompiled contract accepts a call that devchain's does not implement.

    Unlike a rejection, this fails a transaction.
    """

    burns_gas = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a precompiled contract under the rules of an upgrade."""

    computation: ComputationAPI
    upgrade: str

    @property
    def payload(self) -> bytes:
        return self.computation.msg.data_as_bytes

    @property
    def is_local(self) -> bool:
        """Whether this is an `eth_call` or `eth_estimateGas`, not a transaction of a block.

        The transaction executor sets `local_call` on the transaction context.
        """
        return bool(getattr(self.computation.transaction_context, "local_call", True))

    @property
    def is_from_contract(self) -> bool:
        return self.computation.msg.depth > 0

    @property
    def is_delegated(self) -> bool:
        message = self.computation.msg
        return message.code_address != message.to

    @property
    def sender(self) -> Address:
        message = self.computation.msg
        return Address(message.to if self.is_delegated else message.sender)

    @property
    def value(self) -> int:
        """Wei sent with the call; they are on the contract's balance already."""
        return self.computation.msg.value

    @property
    def state(self) -> Any:
        return self.computation.state

    @property
    def chain_id(self) -> int:
        return int(self.state.execution_context.chain_id)

    @property
    def upstream(self) -> UpstreamState | None:
        """The upstream chain's state on a fork of the real node's chain; None on any other.

        There, precompiled contracts have kept what they store in the real node's form.
        """
        state = getattr(self.state._account_db, "upstream", None)  # noqa: SLF001  # py-evm has no other way
        return state if state is not None and state.is_of_rskj else None

    @property
    def transaction(self) -> Any:
        """The transaction being executed, unsigned in an `eth_call`."""
        return getattr(self.computation.transaction_context, "transaction", None)

    def since(self, upgrade: str) -> bool:
        return is_since(self.upgrade, upgrade)

    def charge(self, gas: int, reason: str) -> None:
        """Consume gas, unless the transaction costs none."""
        is_transaction = not self.is_local and not self.is_from_contract
        if is_transaction and getattr(self.transaction, "intrinsic_gas", None) == 0:
            return
        self.computation.consume_gas(gas, reason=reason)


class Method:
    """A method of a native contract, declared as `name(inputs) -> output`.

    `execute` takes the call and the decoded arguments and returns the value to encode, or None for
    no output. `gas` is a number or a function with the same parameters. The method exists from
    upgrade `since`, or the one that activates the RSKIP of that number, up to, not including,
    upgrade `until`.
    """

    def __init__(  # noqa: PLR0913  # a row of a table
        self,
        declaration: str,
        gas: int | Callable[..., int],
        execute: Callable[..., Any],
        since: str | int = "orchid",
        until: str | None = None,
        *,
        local_only: bool = False,
        accepts_static: bool = True,
    ) -> None:
        self.signature, _, self.output = declaration.partition(" -> ")
        self.name, _, inputs = self.signature.partition("(")
        self.inputs = tuple(filter(None, inputs.rstrip(")").split(",")))
        self.selector = keccak(self.signature.encode())[:SELECTOR]
        self.gas, self.execute = gas, execute
        self.since, self.until = since, until
        self.local_only, self.accepts_static = local_only, accepts_static

    def is_enabled(self, upgrade: str, chain_id: int = LOCAL) -> bool:
        since = self.since
        first = first_upgrade(since, chain_id) if isinstance(since, int) else since
        is_removed = self.until is not None and is_since(upgrade, self.until)
        return first is not None and is_since(upgrade, first) and not is_removed


class Event:
    """An event of the contract at an address, declared as `name(type name,type indexed name)`."""

    def __init__(self, address: Address, declaration: str) -> None:
        self.address = address
        self.name, _, inside = declaration.partition("(")
        words = [parameter.split() for parameter in inside.rstrip(")").split(",")]
        self.parameters = [
            {"name": word[-1], "type": word[0], "indexed": "indexed" in word} for word in words
        ]
        signature = f"{self.name}({','.join(word[0] for word in words)})"
        self.topic = int.from_bytes(keccak(signature.encode()))

    def emit(self, call: Call, *values: Any) -> None:
        topics, kinds, data = [self.topic], [], []
        for parameter, value in zip(self.parameters, values, strict=True):
            if parameter["indexed"]:
                topics.append(int.from_bytes(encode(str(parameter["type"]), value)))
            else:
                kinds.append(str(parameter["type"]))
                data.append(value)
        call.computation.add_log_entry(self.address, tuple(topics), encode_all(kinds, data))


@dataclass(frozen=True)
class NativeContract:
    """A precompiled contract with an ABI.

    `check` may reject a call before its method is executed. `answer_of_fork` may give its output
    on a fork, and None to have it executed here. `default` is the signature of the method executed
    for empty call data, `unknown_gas` is charged for call data that matches no method.
    """

    name: str
    methods: tuple[Method, ...]
    gas_per_byte: int = 0
    unknown_gas: int = 0
    default: str = ""
    check: Callable[[Call, Method], None] | None = None
    answer_of_fork: Callable[[Call, Method], bytes | None] | None = None
    events: tuple[Event, ...] = ()
    _tables: dict[tuple[str, int], dict[bytes, Method]] = field(default_factory=dict)

    def __call__(self, call: Call) -> None:
        """Charge gas, execute the method, set the output; raises `PrecompileFailed`."""
        method, arguments = self._decode(call)
        gas = method.gas(call, *arguments) if callable(method.gas) else method.gas
        gas += self.gas_per_byte * len(call.payload)
        call.charge(gas, f"{self.name}.{method.name}")
        if method.local_only and not call.is_local:
            raise PrecompileFailed(f"{self.name}.{method.name} answers calls, not transactions")
        if self.check is not None:
            self.check(call, method)
        if self.answer_of_fork is not None:
            answer = self.answer_of_fork(call, method)
            if answer is not None:
                call.computation.output = answer
                return
        result = method.execute(call, *arguments)
        call.computation.output = b"" if result is None else encode(method.output, result)

    def abi(self, upgrade: str, chain_id: int = LOCAL) -> list[dict[str, Any]]:
        """The ABI in JSON's form, as Solidity's compiler writes it: methods and events."""
        functions = [
            {
                "type": "function",
                "name": method.name,
                "inputs": [{"name": "", "type": kind} for kind in method.inputs],
                "outputs": [{"name": "", "type": method.output}] if method.output else [],
                "stateMutability": "view" if method.accepts_static else "payable",
            }
            for method in self._table(upgrade, chain_id).values()
        ]
        return functions + [
            {"type": "event", "name": event.name, "inputs": event.parameters}
            for event in self.events
        ]

    def _decode(self, call: Call) -> tuple[Method, Sequence[Any]]:
        selector = call.payload[:SELECTOR]
        methods = self._table(call.upgrade, call.chain_id)
        method = methods.get(selector or keccak(self.default.encode())[:SELECTOR])
        if method is None:
            wanted = f"0x{selector.hex()}" if selector else "without input"
            problem = f"{self.name} has no method {wanted} under {call.upgrade}"
        else:
            try:
                return method, decode(method.inputs, call.payload[SELECTOR:])
            except ValueError:
                problem = f"{self.name}: the arguments of {method.name} are malformed"
        call.charge(self.unknown_gas, self.name)
        raise PrecompileFailed(problem)

    def _table(self, upgrade: str, chain_id: int) -> dict[bytes, Method]:
        key = upgrade, chain_id
        if key not in self._tables:
            enabled = (method for method in self.methods if method.is_enabled(*key))
            self._tables[key] = {method.selector: method for method in enabled}
        return self._tables[key]


def encode(kind: str, value: Any) -> bytes:
    if kind not in DYNAMIC:
        number = int.from_bytes(value, "big") if isinstance(value, bytes) else int(value)
        return number.to_bytes(WORD, "big", signed=number < 0)
    raw = value.encode() if isinstance(value, str) else value
    padding = bytes(-len(raw) % WORD if raw else WORD)
    return WORD.to_bytes(WORD, "big") + len(raw).to_bytes(WORD, "big") + raw + padding


def encode_all(kinds: Sequence[str], values: Sequence[Any]) -> bytes:
    """Encode several values, as arguments or as the data of a log."""
    heads, tails = [], b""
    for kind, value in zip(kinds, values, strict=True):
        encoded = encode(kind, value)
        if kind in DYNAMIC:
            heads.append((WORD * len(kinds) + len(tails)).to_bytes(WORD, "big"))
            tails += encoded[WORD:]
        else:
            heads.append(encoded)
    return b"".join(heads) + tails


def decode(kinds: Sequence[str], payload: bytes) -> Sequence[Any]:
    """Decode arguments; raises `ValueError` if the payload is too short."""
    return tuple(_argument(kind, payload, WORD * index) for index, kind in enumerate(kinds))


def _argument(kind: str, payload: bytes, offset: int) -> Any:
    if kind in DYNAMIC or kind.endswith("[]"):
        if offset > len(payload):
            raise ValueError("the payload is too short")
        word = payload[offset : offset + WORD].ljust(WORD, b"\0")
        offset = int32(int.from_bytes(word, signed=True))
    return _value(kind, payload, offset)


def _value(kind: str, payload: bytes, offset: int) -> Any:
    if kind.endswith("[]"):
        return _list(kind.removesuffix("[]"), payload, offset)
    if kind in DYNAMIC:
        raw = _slice(payload, offset + WORD, int32(_integer(payload, offset)))
        return raw.decode(errors="replace") if kind == "string" else raw
    if kind == "bytes32":
        return _slice(payload, offset, WORD)
    number = _integer(payload, offset)
    if kind == "address":
        return java_bytes(number).rjust(WORD, b"\0")[-20:]
    return int32(number) != 0 if kind == "bool" else number


def _list(kind: str, payload: bytes, offset: int) -> list[Any]:
    if not payload:
        return []
    length, first = int32(_integer(payload, offset)), offset + WORD
    if length < 0 or first + length > len(payload):
        raise ValueError("a list longer than the payload")
    # All elements may point at the same bytes: these are views of them, not copies.
    shared: Any = memoryview(payload) if kind == "bytes" else payload
    values = []
    for place in range(first, first + WORD * length, WORD):
        start = first + int32(_integer(payload, place)) if kind in DYNAMIC else place
        values.append(_value(kind, shared, start))
    return values


def _integer(payload: bytes, offset: int) -> int:
    return int.from_bytes(_slice(payload, offset, WORD), "big", signed=True) if payload else 0


def _slice(payload: bytes, start: int, size: int) -> bytes:
    if start < 0 or size < 0 or start + size > len(payload):
        raise ValueError("the payload is too short")
    return payload[start : start + size]


def java_bytes(number: int) -> bytes:
    """The fewest bytes of two's complement, like Java's `BigInteger.toByteArray`."""
    bits = (number if number >= 0 else ~number).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)


def int32(number: int) -> int:
    """The low 32 bits as a signed number, like Java's `BigInteger.intValue`."""
    return (number + 2**31) % 2**32 - 2**31
