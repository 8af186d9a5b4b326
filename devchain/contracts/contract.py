"""Contracts as Python objects: `token.transfer(bob, 10)` sends, `token.balanceOf(bob)` calls."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypedDict

from devchain.contracts.abi import READ_ONLY, Abi, Decoded, Entry, decode_event
from devchain.contracts.abi_decoder import Values, are_decoded
from devchain.errors import InvalidInput
from devchain.text import known_names, misspelt, preformatted, printable, shown_argument
from devchain.types import (
    Address,
    AddressBytes,
    BlockLike,
    BlockRef,
    Hash32,
    LogQuery,
    Tag,
    TransactionRequest,
    address_of,
    block_of,
    bytes_of,
    checksum,
    level_of_caller,
    whole_number,
)

if TYPE_CHECKING:
    from devchain.contracts.storage_view import StorageView
    from devchain.contracts.vyper_calls import InternalFunctions


class ShortPretty:
    """Shows an object by its `repr` in IPython and in Hypothesis's reports, not field by field."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return preformatted(repr(self))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001  # the protocol's
        printer.text(repr(self))


class Suggesting:
    """An object whose `AttributeError` names the attribute that may be meant.

    `OTHER_NAMES` has what other libraries call what there is, in lower case without underscores.
    """

    __slots__ = ()
    OTHER_NAMES: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # mypy would take every attribute for one that exists

        def __getattr__(self, name: str) -> Any:
            """Raise an `AttributeError` for what it does not have."""
            __tracebackhide__ = True  # pytest shows the caller's line
            if hasattr(type(self), name):  # a property, which raised an error of its own
                return object.__getattribute__(self, name)
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            meant = "" if name.startswith("_") else self._meant_attribute(name)
            # With `obj` Python would add a suggestion of its own.
            raise AttributeError(f"{text}: did you mean {meant}?" if meant else text, name=name)

    def _meant_attribute(self, name: str) -> str:
        other = self.OTHER_NAMES.get(name.replace("_", "").lower())
        return other or misspelt(name, (known for known in dir(self) if known[0] != "_"))


class HasAddress(Protocol):
    """A contract, an account of eth-account, or anything else with an address."""

    @property
    def address(self) -> Any:
        """The address, 20 bytes or hex text."""


AddressLike = bytes | str | HasAddress  # an address as callers may give it


class Options(TypedDict, total=False):
    """Options of calls and transactions: value and gas price in wei."""

    sender: AddressLike | None
    value: int
    gas: int
    gas_price: int
    nonce: int


OPTION_BITS = {"value": 256, "gas": 64, "gas_price": 256, "nonce": 64}  # numbers, with their sizes
AMOUNTS = frozenset({"value", "gas_price"})  # in wei
ONLY_SENDER = frozenset({"sender"})

OTHER_NAMES = {"from": "sender", "gaslimit": "gas"}  # in other libraries, in lower case

NAMES_OF_BLOCK = frozenset({"at", "block", "blockidentifier", "blocknumber"})  # the block of a call


class ContractNode(Protocol):
    """The methods of a node that contract objects use."""

    @property
    def block_number(self) -> int:
        """Number of the newest block."""

    def transact(self, request: TransactionRequest) -> Mined:
        """Send and mine a transaction; raises a `VmError` if its execution failed."""

    def call(self, request: TransactionRequest, block: BlockLike = Tag.LATEST) -> bytes:
        """Return the output of a call; raises a `VmError` if it failed."""

    def estimate(self, request: TransactionRequest, block: BlockLike = Tag.PENDING) -> int:
        """The least gas limit with which a transaction succeeds."""

    def logs(self, query: LogQuery) -> Sequence[Any]:
        """The logs that match, oldest first."""

    def balance(self, address: Address, block: BlockLike = Tag.LATEST) -> int:
        """The balance of an account in wei, after a block."""


@dataclass(frozen=True, slots=True)
class Mined(Suggesting, ShortPretty):
    """A mined transaction with its block and receipt."""

    block: Any
    receipt: Any
    decode: Callable[[Any], Decoded | None] = field(default=lambda _: None, repr=False)

    OTHER_NAMES: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("transactionhash", "txhash", "txid"), "hash"),
        **dict.fromkeys(("returnvalue", "returndata"), "the result of contract.function.call()"),
        "from": "sender",
    }

    def __repr__(self) -> str:
        return f"<Mined 0x{self.hash.hex()} in block {self.block.number}, {self.gas_used} gas>"

    @property
    def hash(self) -> Hash32:
        """Hash of the transaction."""
        return Hash32(self.receipt.transaction.hash)

    @property
    def status(self) -> int:
        """1 if it succeeded, 0 if it failed."""
        return int(self.receipt.succeeded)

    @property
    def block_number(self) -> int:
        """Number of its block."""
        return int(self.block.number)

    @property
    def block_hash(self) -> Hash32:
        """Hash of its block."""
        return Hash32(self.block.hash)

    @property
    def gas_used(self) -> int:
        """Gas the transaction used, after refunds."""
        return int(self.receipt.gas_used)

    @property
    def sender(self) -> Address:
        """The account that sent it."""
        return Address(AddressBytes(self.receipt.transaction.sender))

    @property
    def logs(self) -> tuple[Any, ...]:
        """Its logs, undecoded, with `address`, `topics` and `data`."""
        return tuple(self.receipt.logs)

    @property
    def events(self) -> list[Event]:
        """Its events, of all contracts, in order. Logs of unknown events are left out.

        `token.events("Transfer", mined)` has those of one contract, by its own ABI.
        """
        return [
            Event(event, Address(AddressBytes(log.address)), self.block_number, self.hash, index)
            for index, log in enumerate(self.logs, self.receipt.first_log_index)
            if (event := self.decode(log))
        ]

    @property
    def contract_address(self) -> Address | None:
        """Address of the contract that it created, or None."""
        address: Address | None = self.receipt.contract_address
        return Address(AddressBytes(address)) if address else None


@dataclass(frozen=True, slots=True)
class Event(Suggesting, ShortPretty):
    """An event of a contract: `event.amount`, `event["amount"]` and `event[1]` are values.

    `event.name` is its name, `index` the log index in the block. A value with the name of such an
    attribute is `event["name"]` only. Python's keywords get an underscore: `event.from_`.
    """

    decoded: Decoded
    address: Address
    block_number: int
    transaction_hash: Hash32
    index: int

    def __getattr__(self, name: str) -> Any:
        """A value by parameter name; raises `AttributeError`, which names the one meant."""
        __tracebackhide__ = True
        if name.startswith("__") or name in self.__slots__:  # by copy and pickle
            raise AttributeError(name)
        named = self.decoded.named
        plain = name if name in named else name.removesuffix("_")
        return named[plain] if plain in named else Suggesting.__getattr__(self, name)  # type: ignore[attr-defined]  # hidden

    def __dir__(self) -> list[str]:
        keywords = (f"{name}_" for name in self.decoded.named if iskeyword(name))
        return sorted({*object.__dir__(self), *self.decoded.named, *keywords})

    def __repr__(self) -> str:
        return f"<{self.decoded} in block {self.block_number}>"

    @property
    def name(self) -> str:
        """Name of the event."""
        return self.decoded.name

    @property
    def arguments(self) -> dict[str, Any]:
        """Values by parameter name. Addresses are `AddressBytes`."""
        return self.decoded.named

    def __getitem__(self, key: str | int) -> Any:
        """A value by parameter name or position."""
        __tracebackhide__ = True
        return self.decoded[key]


class ContractBase:
    """What every contract object has, apart from attributes for its functions.

    The classes that `devchain stubs` writes derive from it, so that type checkers know each name.
    """

    __slots__ = ("__api", "_functions")

    def __init__(self, api: ContractApi) -> None:
        """Bind the functions of a contract's ABI to its address on a node."""
        self.__api = api
        self._functions: dict[str, Function] = {}  # that were called as attributes

    @property
    def contract(self) -> ContractApi:
        """Members of devchain: events, other blocks, balance, ABI, sender."""
        return self.__api

    @property
    def address(self) -> Address:
        """The contract's address: 20 bytes that show as checksummed text."""
        return self.__api.address

    def __getitem__(self, name: str) -> Function:
        """The function with that name or signature; raises `InvalidInput` if there is none."""
        return self.__api.function(name)

    def __dir__(self) -> list[str]:
        return sorted({"address", "contract", *MEMBERS, *self.__api.function_names()})

    def __repr__(self) -> str:
        return f"<{printable(self.__api.name)} at {self.__api.address!r}>"

    def __eq__(self, other: object) -> bool:
        return self.__api.address == other

    def __hash__(self) -> int:
        return hash(self.__api.address)


class Contract(ContractBase):
    """A deployed contract. The functions of its ABI are attributes.

    `token.balanceOf(bob)` calls a `view` or `pure` function and returns its value.
    `token.transfer(bob, 10)` sends a transaction, mines it and returns a `Mined`. Choose with
    `token.transfer.call(...)`, `.transact(...)`, `.estimate(...)` or `.encode(...)`. Overloads are
    chosen by their arguments, or by signature: `token["f(uint256)"](5)`.

    devchain's members are in `token.contract`: `token.contract.events("Transfer")`. They are also
    attributes of the contract if it has no such function: `vault.events("Deposited")`,
    `vault.at(5)`. Only `contract` and `address` are always devchain's; `token["address"]` is the
    function.

    A contract equals its address in any form, and other objects of the same contract.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"a function is not set: write .storage.{name} = {value!r:.40}")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """The function with that name, else devchain's member; raises `AttributeError`."""
        if name.startswith(("__", "_ContractBase__", "_functions")):  # by copy, pickle, inspection
            raise AttributeError(name)
        known = self._functions.get(name)
        if known is not None:
            return known
        api = self.contract
        if name in MEMBERS and not api.interface.functions_named(name):
            return getattr(api, name)
        try:
            function = self._functions[name] = self[name]
        except InvalidInput as error:
            raise AttributeError(str(error)) from None
        return function


@dataclass(frozen=True, slots=True, repr=False)
class ContractApi(Suggesting, ShortPretty):
    """Members of devchain for a contract, apart from its functions: `token.contract`.

    `name` is the artifact's name and `chain` the node. Calls run on the state of `block` and come
    from `sender` by default. `interface` is the parsed ABI. `lacks_code` says whether the address
    has no code.
    """

    chain: ContractNode
    address: Address
    interface: Abi
    name: str = "Contract"
    block: BlockRef = Tag.LATEST
    sender: Address | None = None
    lacks_code: Callable[[], bool] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<ContractApi of {printable(self.name)} at {self.address!r}>"

    @property
    def abi(self) -> list[dict[str, Any]]:
        """The ABI as JSON for web3.py: `w3.eth.contract(token.address, abi=token.abi)`."""
        return self.interface.to_json()

    @property
    def balance(self) -> int:
        """The contract's balance in wei, after `block`."""
        return self.chain.balance(address_of(self.address), self.block)

    @property
    def storage(self) -> StorageView:
        """Variables by name: `vault.storage.owner = alice`, `token.storage.balances[bob] += 5`."""
        from devchain.contracts.storage_view import open_storage

        return open_storage(self)

    @property
    def internal(self) -> InternalFunctions:
        """Internal functions of a contract in Vyper, `vault.internal._fee(10)`; change nothing."""
        from devchain.contracts.vyper_calls import InternalFunctions

        return InternalFunctions(self)

    def eval(self, expression: str) -> Any:
        """The value of an expression in a contract in Vyper: `vault.eval("self.total")`."""
        from devchain.contracts.vyper_calls import evaluate

        return evaluate(self, expression)

    def function(self, name: str) -> Function:
        """The function with that name or signature. Raises `InvalidInput` if there is none."""
        if not isinstance(name, str):
            raise InvalidInput(
                f"{shown_argument(name)} is a {type(name).__name__}: give the name of a function, "
                "or its signature"
            )
        entries = self.interface.functions_named(name)
        if entries:
            return Function(self, entries)
        names = self.function_names()
        hint, start = known_names(name, names), name.partition("(")[0]
        same = self.interface.functions_named(misspelt(start, names)) if start != name else ()
        if same:
            hint = f"did you mean {' or '.join(entry.signature for entry in same)}?"
        raise InvalidInput(f"{self.name} has no function {name}: {hint}")

    def function_names(self) -> list[str]:
        """The names of the contract's functions, sorted."""
        return sorted({function.name for function in self.interface.functions.values()})

    def at(self, block: BlockLike) -> Contract:
        """The same contract, with calls on the state after that block."""
        return Contract(replace(self, block=block_of(block)))

    def events(
        self, name: str | None = None, where: Mined | None = None, from_block: BlockLike = 0
    ) -> list[Event]:
        """Events that the contract emitted, oldest first: of a name, and of a transaction `where`.

        Without `where` they are those of the blocks from `from_block` to the contract's. Raises
        `InvalidInput` for an event that the ABI does not have.
        """
        names = sorted({event.name for event in self.interface.events.values()})
        if name is not None and name not in names:  # of a list, which anything can be looked up in
            shown = f"{name!s:.80}"
            raise InvalidInput(f"{self.name} has no event {shown}: {known_names(shown, names)}")
        if where is not None and not isinstance(where, Mined):
            raise InvalidInput(
                f"{shown_argument(where)} is no mined transaction: `where` is what a function "
                "returned that sent one; compare values with each event's attributes"
            )
        if where:
            first, tx_hash = where.receipt.first_log_index, where.hash
            logs = [
                (log, where.block, tx_hash, index) for index, log in enumerate(where.logs, first)
            ]
        else:
            addresses = frozenset({address_of(self.address)})
            query = LogQuery(block_of(from_block), self.block, addresses=addresses)
            found = self.chain.logs(query)
            logs = [(log.log, log.block, log.transaction_hash, log.index) for log in found]
        return [
            Event(decoded, self.address, block.number, tx_hash, index)
            for log, block, tx_hash, index in logs
            if log.address == self.address
            and (decoded := decode_event(self.interface, log.topics, log.data))
            and name in (None, decoded.name)
        ]


RETURNED = (int, str, bytes, list, tuple)  # types of the values that functions return

MEMBERS = frozenset({"abi", "at", "balance", "block", "chain", "eval", "events", "internal"})
MEMBERS |= {"name", "sender", "storage"}
"""Members of `ContractApi` that are attributes of a contract without such a function."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Function(Suggesting, ShortPretty):
    """A function of a contract, or all overloads of a name.

    Options of calls and transactions are `sender`, `value` and `gas_price` in wei, `gas` and
    `nonce`. A function has no truth value and equals no value: `assert token.paused` is a
    TypeError.
    """

    contract: ContractApi
    entries: tuple[Entry, ...]

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        if isinstance(other, Function):
            return (self.contract, self.entries) == (other.contract, other.entries)
        if isinstance(other, RETURNED):
            raise self._not_called()
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.contract, self.entries))

    def _refuse(self, *_: object) -> Any:
        __tracebackhide__ = True
        raise self._not_called()

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = _refuse
    __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _refuse

    def _not_called(self) -> TypeError:
        name = f"{self.contract.name}.{self.entries[0].name}"
        return TypeError(printable(f"{name} is a function and not its value: call it, {name}(...)"))

    def __repr__(self) -> str:
        signatures = " or ".join(entry.signature for entry in self.entries)
        return printable(f"<{self.contract.name}.{signatures}>")

    def __call__(self, *arguments: object, **options: Any) -> Any:
        """Call a `view` or `pure` function, send a transaction for any other."""
        for entry in self.entries:
            if entry.mutability not in READ_ONLY:
                return self.transact(*arguments, **options)
        return self.call(*arguments, **options)

    def call(self, *arguments: object, **options: Any) -> Any:
        """Call the function and return its value. Several values are a tuple, no value is None.

        Structs and several values are `Values`, tuples with names: `info.who`, `info["who"]`.
        Raises `ExecutionReverted` or `ExecutionFailed` if the call fails, `InvalidInput` for wrong
        arguments and for output that does not match the ABI.
        """
        entry, request = self._request(arguments, options)
        output = self.contract.chain.call(request, self.contract.block)
        values = entry.decode_output(output)
        if values is None or not are_decoded(values):
            why = "is there a contract at that address?" if not output else "the ABI says otherwise"
            why = why if values is None else "their values are too large to decode"
            raise InvalidInput(f"{entry.signature} returned {len(output)} bytes: {why}")
        if len(values) == 1:
            return values[0]
        return Values(values, entry.outputs) if values else None

    def transact(self, *arguments: object, **options: Any) -> Mined:
        """Send a transaction and mine it.

        Raises `ExecutionReverted` or `ExecutionFailed` if it was mined and failed. Warns, with a
        `UserWarning`, if there is no code at the address: then it succeeds and does nothing.
        """
        contract = self.contract
        request = self._request(arguments, options)[1]
        if contract.lacks_code and contract.lacks_code():
            name, address = printable(contract.name), checksum(contract.address)
            text = f"there is no code at {address}, the address of {name}: calling it does nothing"
            warnings.warn(text, stacklevel=level_of_caller())
        return contract.chain.transact(request)

    def estimate(self, *arguments: object, **options: Any) -> int:
        """The lowest gas limit with which the transaction succeeds."""
        return self.contract.chain.estimate(self._request(arguments, options)[1])

    def encode(self, *arguments: object) -> bytes:
        """Call data: the selector and the encoded arguments."""
        return self._select_overload(arguments)[1]

    def _request(
        self, arguments: tuple[object, ...], options: dict[str, Any]
    ) -> tuple[Entry, TransactionRequest]:
        try:
            entry, call_data = self._select_overload(arguments)
        except InvalidInput as error:
            if advice := argument_advice(self.entries, arguments, options):
                raise InvalidInput(f"{error}; {advice}") from None
            raise
        contract = self.contract
        options = {"sender": contract.sender} | options
        return entry, request(address_of(contract.address), call_data, options)

    def _select_overload(self, arguments: tuple[object, ...]) -> tuple[Entry, bytes]:
        if len(self.entries) == 1:
            (entry,) = self.entries
            return entry, entry.selector + entry.encode(arguments)
        fitting = {}
        for entry in self.entries:
            with suppress(InvalidInput):
                fitting[entry] = entry.selector + entry.encode(arguments)
        if len(fitting) == 1:
            return fitting.popitem()
        near = [entry for entry in self.entries if len(entry.inputs) == len(arguments)]
        if not fitting and len(near) == 1:
            near[0].encode(arguments)  # its error names the wrong argument
        what = "could be" if fitting else "fits none of"
        candidates = list(fitting) or self.entries
        raise InvalidInput(
            f"{candidates[0].name}({', '.join(map(shown_argument, arguments))}) {what} "
            f"{' or '.join(entry.described for entry in candidates)}: "
            f'choose by signature, {self.contract.name}["{candidates[0].signature}"](...)'
        )


def argument_advice(
    entries: Sequence[Entry], arguments: Sequence[object], options: Options | dict[str, Any]
) -> str:
    names = {param.name for entry in entries for param in entry.inputs if param.name}
    unknown = {option for option in options if not _meant_option(option)}
    if names & options.keys() or unknown:
        return "give arguments by position"
    last = arguments[-1] if arguments else None
    if isinstance(last, dict) and last and all(isinstance(key, str) for key in last):
        meant = [_meant_option(key) for key in last]
        if all(meant):
            return f"give options by name: {', '.join(f'{option}=...' for option in meant)}"
    return ""


def request(
    to: Address | None, call_data: bytes, options: Options | Mapping[str, Any]
) -> TransactionRequest:
    """A transaction request from call data and options; raises `InvalidInput` for unknown ones."""
    if options.keys() == ONLY_SENDER:  # as most calls have it
        sender = options["sender"]
        if sender is not None:
            sender = address_of(sender)
        return TransactionRequest(sender, to, data=bytes_of("data", call_data))
    if unknown := sorted(options.keys() - Options.__annotations__.keys()):
        raise InvalidInput(_unknown_options(unknown))
    given: dict[str, Any] = dict(options)
    for name, bits in OPTION_BITS.items():
        if given.get(name) is not None:
            given[name] = whole_number(name, given[name], bits=bits, is_amount=name in AMOUNTS)
    if given.get("sender") is not None:
        given["sender"] = address_of(given["sender"])
    return TransactionRequest(to=to, data=bytes_of("data", call_data), **given)


def _unknown_options(unknown: Sequence[str]) -> str:
    text = f"there is no option {' or '.join(unknown)}"
    meant = [meant for option in unknown if (meant := _meant_option(option))]
    if meant:
        text += f": did you mean {' and '.join(dict.fromkeys(meant))}?"
    text += f"{' The' if meant else ': the'} options are {', '.join(Options.__annotations__)}"
    if any(option.replace("_", "").lower() in NAMES_OF_BLOCK for option in unknown):
        text += "; a function is called at an earlier block by contract.at(block).function()"
    return text


def _meant_option(name: str) -> str:
    other = OTHER_NAMES.get(name.replace("_", "").lower())
    return other or misspelt(name, Options.__annotations__)
