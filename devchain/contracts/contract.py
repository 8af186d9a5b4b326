"""A deployed contract as an object: its functions are attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Protocol, Self

from devchain.contracts.abi import Abi, Decoded, Entry, decode_event
from devchain.errors import InvalidInput
from devchain.types import Address, BlockRef, Hash32, LogQuery, Tag, TransactionRequest


class Chain(Protocol):
    """What a contract asks of the node it lives on."""

    def transact(self, request: TransactionRequest) -> Mined:
        """Send it and mine it; raises a `VmError` if it failed."""

    def call(self, request: TransactionRequest, block: BlockRef = Tag.LATEST) -> bytes:
        """What a call returns; raises a `VmError` if it fails."""

    def estimate(self, request: TransactionRequest, block: BlockRef = Tag.PENDING) -> int:
        """The least gas with which it succeeds."""

    def logs(self, query: LogQuery) -> Sequence[Any]:
        """The logs that match."""


@dataclass(frozen=True, slots=True)
class Mined:
    """A mined transaction: the block and the receipt, and what is asked of them most."""

    block: Any
    receipt: Any

    def __repr__(self) -> str:
        return f"<Mined 0x{self.hash.hex()} in block {self.block.number}, {self.gas_used} gas>"

    @property
    def hash(self) -> Hash32:
        """The transaction's hash."""
        return Hash32(self.receipt.transaction.hash)

    @property
    def gas_used(self) -> int:
        """Gas it used."""
        return int(self.receipt.gas_used)

    @property
    def contract_address(self) -> Address | None:
        """The contract it created, if it did."""
        address: Address | None = self.receipt.contract_address
        return address


@dataclass(frozen=True, slots=True)
class Event:
    """An event a contract emitted: `event["amount"]` is a value, `event.name` its name."""

    decoded: Decoded
    address: Address
    block_number: int
    transaction_hash: Hash32
    index: int

    def __repr__(self) -> str:
        return f"<{self.decoded} in block {self.block_number}>"

    @property
    def name(self) -> str:
        """The event's name."""
        return self.decoded.name

    @property
    def arguments(self) -> dict[str, Any]:
        """The values by parameter name."""
        return self.decoded.named

    def __getitem__(self, key: str | int) -> Any:
        """A value by name or position."""
        return self.decoded[key]


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract on a chain: `token.transfer(bob, 10)` sends, `token.balanceOf(bob)` reads.

    A function that promises to change nothing is called; any other is sent as a transaction, and a
    `Mined` comes back. `.call`, `.transact`, `.estimate` and `.encode` choose. Functions of the
    same name are told apart by their arguments, or named in full: `token["f(uint256)"]`.
    `at(block)` reads an earlier state; `sender` is who calls unless a call says otherwise.
    """

    chain: Chain
    address: Address
    abi: Abi
    name: str = "Contract"
    block: BlockRef = Tag.LATEST
    sender: Address | None = None

    def __getattr__(self, name: str) -> Function:
        """The function of that name."""
        try:
            return self[name]
        except InvalidInput as error:
            raise AttributeError(str(error)) from None

    def __getitem__(self, name: str) -> Function:
        """The function of that name or full signature; raises `InvalidInput` if there is none."""
        entries = tuple(self.abi.named(name))
        if entries:
            return Function(self, entries)
        close = get_close_matches(name, self._names(), n=1)
        hint = f": did you mean {close[0]}?" if close else f"; it has {', '.join(self._names())}"
        raise InvalidInput(f"{self.name} has no function {name}{hint}")

    def __dir__(self) -> list[str]:
        return [
            "abi",
            "address",
            "at",
            "block",
            "chain",
            "events",
            "name",
            "sender",
            *self._names(),
        ]

    def __repr__(self) -> str:
        return f"<{self.name} at 0x{self.address.hex()}>"

    def _names(self) -> list[str]:
        return sorted({each.name for each in self.abi.functions.values()})

    def at(self, block: BlockRef) -> Self:
        """The same contract, read as that block left it."""
        return replace(self, block=block)

    def events(
        self, name: str | None = None, where: Mined | None = None, from_block: BlockRef = 0
    ) -> list[Event]:
        """The events it emitted, of one name or all in its ABI.

        In one transaction, or from a block on; raises `InvalidInput` for a name it does not have.
        """
        if name is not None and name not in {each.name for each in self.abi.events.values()}:
            raise InvalidInput(f"{self.name} has no event {name}")
        found = self._emitted(where) if where else self._stored(from_block)
        return [each for each in found if name in (None, each.name)]

    def _emitted(self, mined: Mined) -> list[Event]:
        receipt = mined.receipt
        places = enumerate(receipt.logs, receipt.first_log_index)
        found = (self._event(log, mined.block, receipt, index) for index, log in places)
        return [each for each in found if each]

    def _stored(self, from_block: BlockRef) -> list[Event]:
        query = LogQuery(from_block, self.block, addresses=frozenset({self.address}))
        logs = self.chain.logs(query)
        found = (self._event(each.log, each.block, each.receipt, each.index) for each in logs)
        return [each for each in found if each]

    def _event(self, log: Any, block: Any, receipt: Any, index: int) -> Event | None:
        if log.address != self.address:
            return None
        decoded = decode_event(self.abi, log.topics, log.data)
        if decoded is None:
            return None
        return Event(decoded, self.address, block.number, receipt.transaction.hash, index)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a contract, or several of one name.

    Options of every call: `sender` (the contract's unless given), `value` in wei, `gas`,
    `gas_price` in wei; `sender` may be anything with an `address`.
    """

    contract: Contract
    entries: tuple[Entry, ...]

    def __call__(self, *arguments: object, **options: Any) -> Any:
        """Call it if it is read-only, else send it."""
        __tracebackhide__ = True
        is_read_only = all(each.is_read_only for each in self.entries)
        return (self.call if is_read_only else self.transact)(*arguments, **options)

    def call(self, *arguments: object, **options: Any) -> Any:
        """What it would return; one value bare, several as a tuple, none as None.

        Raises `ExecutionReverted` or `ExecutionFailed`.
        """
        __tracebackhide__ = True
        entry, request = self._request(arguments, options)
        answer = self.contract.chain.call(request, self.contract.block)
        found = entry.decode_output(answer)
        if found is None:
            why = "is there a contract at that address?" if not answer else "the ABI says otherwise"
            raise InvalidInput(f"{entry.signature} returned {len(answer)} bytes: {why}")
        return found[0] if len(found) == 1 else found or None

    def transact(self, *arguments: object, **options: Any) -> Mined:
        """Send it; raises `ExecutionReverted` or `ExecutionFailed` if it was mined and failed."""
        __tracebackhide__ = True
        return self.contract.chain.transact(self._request(arguments, options)[1])

    def estimate(self, *arguments: object, **options: Any) -> int:
        """The least gas limit with which it succeeds."""
        __tracebackhide__ = True
        return self.contract.chain.estimate(self._request(arguments, options)[1])

    def encode(self, *arguments: object) -> bytes:
        """The data of a call with these arguments."""
        return self._chosen(arguments)[1]

    def _request(
        self, arguments: tuple[object, ...], options: dict[str, Any]
    ) -> tuple[Entry, TransactionRequest]:
        entry, call_data = self._chosen(arguments)
        given = {"sender": self.contract.sender} | options
        return entry, request(self.contract.address, call_data, given)

    def _chosen(self, arguments: tuple[object, ...]) -> tuple[Entry, bytes]:
        """The entry that takes those arguments, and the data of a call to it."""
        fitting = [each for each in self.entries if len(each.inputs) == len(arguments)]
        for each in fitting[:-1]:
            try:
                return each, each.selector + each.encode(arguments)
            except InvalidInput:
                continue
        last = (fitting or self.entries)[-1]
        return last, last.selector + last.encode(arguments)


def request(to: Address | None, call_data: bytes, options: dict[str, Any]) -> TransactionRequest:
    """A transaction request with the options of a call; raises `InvalidInput` for unknown ones."""
    sender = options.get("sender")
    given = options | ({"sender": address_of(sender)} if sender is not None else {})
    unknown = options.keys() - {"sender", "value", "gas", "gas_price", "nonce"}
    if unknown:
        raise InvalidInput(
            f"unknown options {', '.join(sorted(unknown))}: sender, value, gas, gas_price, nonce"
        )
    return TransactionRequest(to=to, data=call_data, **given)


def address_of(given: object) -> Address:
    """An address from 20 bytes, hex text or anything with an `address`; raises `InvalidInput`."""
    found = getattr(given, "address", given)
    if isinstance(found, str):
        try:
            found = bytes.fromhex(found.removeprefix("0x"))
        except ValueError:
            found = None
    if not isinstance(found, bytes) or len(found) != 20:
        raise InvalidInput(f"{given!r} is not an address: give 20 bytes, hex text or a contract")
    return Address(bytes(found))
