"""Native contracts: methods known by signature, with their gas, their upgrades and their ABI.

The encoding is the node's own, more lenient than Solidity's: missing arguments of a call that is
nothing but a selector are zero, integers are signed whatever their type says, offsets and
lengths are cut to 32 bits, and an empty `bytes` is encoded with a word of padding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from eth.abc import ComputationAPI
from eth_hash.auto import keccak

from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.upgrades import ROOTSTOCK_FORKS

WORD = 32
SELECTOR = 4
DYNAMIC = ("bytes", "string")


def is_active(since: str, upgrade: str) -> bool:
    """Whether rules that came with upgrade `since` hold under `upgrade`."""
    return ROOTSTOCK_FORKS.index(since) <= ROOTSTOCK_FORKS.index(upgrade)


class NativeContractError(PrecompileFailed):
    """What a precompiled contract refuses, in words."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a precompiled contract, and the upgrade whose rules it follows."""

    computation: ComputationAPI
    upgrade: str

    @property
    def payload(self) -> bytes:
        """The input."""
        return self.computation.msg.data_as_bytes

    @property
    def is_local(self) -> bool:
        """Whether nobody mines this: an `eth_call` or `eth_estimateGas`.

        Whoever runs transactions says so with `local_call` on the transaction context.
        """
        return bool(getattr(self.computation.transaction_context, "local_call", True))

    @property
    def is_inner(self) -> bool:
        """Whether a contract calls, not a transaction."""
        return self.computation.msg.depth > 0

    @property
    def keeps_caller(self) -> bool:
        """Whether the code runs on its caller's behalf: CALLCODE or DELEGATECALL."""
        message = self.computation.msg
        return message.code_address != message.to

    def since(self, upgrade: str) -> bool:
        """Whether rules that came with that upgrade hold."""
        return is_active(upgrade, self.upgrade)

    def charge(self, gas: int, reason: str) -> None:
        """Take gas; raises `OutOfGas`."""
        self.computation.consume_gas(gas, reason=reason)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a native contract, declared as `name(inputs) -> output`.

    `answer` takes the call and the arguments; what it returns is encoded, None as nothing.
    `gas` is a number, or takes the same as `answer`. Enabled from upgrade `since` until upgrade
    `until`.
    """

    declaration: str
    gas: int | Callable[..., int]
    answer: Callable[..., Any]
    since: str = ROOTSTOCK_FORKS[0]
    until: str | None = None
    local_only: bool = False
    accepts_static: bool = True

    @property
    def signature(self) -> str:
        """The name with the types of the parameters."""
        return self.declaration.partition(" -> ")[0]

    @property
    def output(self) -> str:
        """The type of the answer, empty if there is none."""
        return self.declaration.partition(" -> ")[2]

    @property
    def name(self) -> str:
        """The name without the parameters."""
        return self.signature.partition("(")[0]

    @property
    def selector(self) -> bytes:
        """The first four bytes of a call."""
        return keccak(self.signature.encode())[:SELECTOR]

    @property
    def inputs(self) -> Sequence[str]:
        """The types of the parameters."""
        inside = self.signature.partition("(")[2].rstrip(")")
        return inside.split(",") if inside else ()

    def is_enabled(self, upgrade: str) -> bool:
        """Whether the method exists under that upgrade."""
        over = self.until is not None and is_active(self.until, upgrade)
        return is_active(self.since, upgrade) and not over

    def price(self, call: Call, arguments: Sequence[Any]) -> int:
        """What a call costs, without what its length costs."""
        return self.gas(call, *arguments) if callable(self.gas) else self.gas


@dataclass(frozen=True)
class NativeContract:
    """A precompiled contract with an ABI.

    `checks` may refuse a call before its method answers; `default` is the method of an empty
    input, `unknown_gas` the price of an input that names no method.
    """

    name: str
    methods: tuple[Method, ...]
    gas_per_byte: int = 0
    unknown_gas: int = 0
    default: str | None = None
    check: Callable[[Call, Method], None] | None = None
    _tables: dict[str, dict[bytes, Method]] = field(default_factory=dict)

    def __call__(self, call: Call) -> None:
        """Charge for the call, then put the answer into its output."""
        found = self._parse(call)
        if found is None:
            call.charge(self.unknown_gas, self.name)
            raise NativeContractError(self._unknown(call))
        method, arguments = found
        gas = method.price(call, arguments) + self.gas_per_byte * len(call.payload)
        call.charge(gas, f"{self.name}.{method.name}")
        if method.local_only and not call.is_local:
            msg = f"{self.name}.{method.name} answers calls, not transactions"
            raise NativeContractError(msg)
        if self.check is not None:
            self.check(call, method)
        answer = method.answer(call, *arguments)
        call.computation.output = b"" if answer is None else encode(method.output, answer)

    def _parse(self, call: Call) -> tuple[Method, Sequence[Any]] | None:
        """The method and its arguments, None if there is no such method or they do not decode."""
        table = self._table(call.upgrade)
        if not call.payload:
            named = (method for method in table.values() if method.name == self.default)
            return next(((method, ()) for method in named), None)
        method = table.get(call.payload[:SELECTOR])
        if method is None:
            return None
        try:
            return method, decode(method.inputs, call.payload[SELECTOR:])
        except ValueError:
            return None

    def _table(self, upgrade: str) -> dict[bytes, Method]:
        if upgrade not in self._tables:
            enabled = (method for method in self.methods if method.is_enabled(upgrade))
            self._tables[upgrade] = {method.selector: method for method in enabled}
        return self._tables[upgrade]

    def _unknown(self, call: Call) -> str:
        selector = call.payload[:SELECTOR]
        known = self._table(call.upgrade).get(selector)
        if known is not None:
            return f"{self.name}: the arguments of {known.name} are malformed"
        named = f"0x{selector.hex()}" if selector else "without input"
        return f"{self.name} has no method {named} under {call.upgrade}"


def encode(kind: str, value: Any) -> bytes:
    """One value as the ABI has it."""
    if kind not in DYNAMIC:
        number = int.from_bytes(value, "big") if isinstance(value, bytes) else int(value)
        return number.to_bytes(WORD, "big", signed=number < 0)
    raw = value.encode() if isinstance(value, str) else value
    padding = bytes(-len(raw) % WORD if raw else WORD)
    return WORD.to_bytes(WORD, "big") + len(raw).to_bytes(WORD, "big") + raw + padding


def decode(kinds: Sequence[str], payload: bytes) -> Sequence[Any]:
    """The arguments in a payload; raises `ValueError` if it is too short for them."""
    return tuple(_argument(kind, payload, WORD * index) for index, kind in enumerate(kinds))


def _argument(kind: str, payload: bytes, offset: int) -> Any:
    if kind in DYNAMIC or kind.endswith("[]"):
        offset = int32(_integer(payload, offset))
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
        return number.to_bytes(WORD, "big", signed=number < 0)[-20:]
    return int32(number) != 0 if kind == "bool" else number


def _list(kind: str, payload: bytes, offset: int) -> list[Any]:
    if not payload:
        return []
    length, first = int32(_integer(payload, offset)), offset + WORD
    if length < 0 or first + length > len(payload):
        raise ValueError("a list longer than the payload")
    places = [first + WORD * index for index in range(length)]
    if kind in DYNAMIC:
        places = [first + int32(_integer(payload, place)) for place in places]
    return [_value(kind, payload, place) for place in places]


def _integer(payload: bytes, offset: int) -> int:
    return int.from_bytes(_slice(payload, offset, WORD), "big", signed=True) if payload else 0


def _slice(payload: bytes, start: int, size: int) -> bytes:
    if start < 0 or size < 0 or start + size > len(payload):
        raise ValueError("the payload is too short")
    return payload[start : start + size]


def int32(number: int) -> int:
    """The low 32 bits as a signed number, as Java's `intValue` gives them."""
    return (number + 2**31) % 2**32 - 2**31
