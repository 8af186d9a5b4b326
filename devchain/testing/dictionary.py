"""Values worth trying in a call: constants of the code, addresses, what the chain has seen.

A number drawn at random is hardly ever the one that a contract compares with. It may be a constant
of its code, a value of its storage or one of its events, or an amount that it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

from devchain.contracts.artifacts import metadata_range
from devchain.contracts.contract import ContractBase
from devchain.evm.opcodes import PUSHES, Op, walk
from devchain.testing.reproducer import contract_names
from devchain.types import WORD_SIZE, ZERO_ADDRESS, Address, AddressBytes, LogQuery, Tag, address_of

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.node import Node

MAX_VALUES = 256  # of a contract: constants, values of storage and of logs, of each kind
MAX_OWN = 16
MAX_GROWTH = 100  # blocks on top of the one at which values were collected
ADDRESS_BITS = 160
SELECTOR = 4
RARE_BITS = 16
COMMON = (2, 3, 7, 10, 100, 255, 256, 1_000, 10_000, 60, 3_600, 86_400, 10**6, 10**8, 10**18)
"""Numbers of everyday contracts: basis points, durations in seconds, units of coins."""


class NamedAddress(AddressBytes):
    """An address that shows as the expression that a test has for it: `accounts[1]`, `vault`."""

    def __new__(cls, address: bytes, name: str) -> Self:
        made = super().__new__(cls, address)
        made.name = name
        return made

    name: str

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return NamedAddress, (bytes(self), self.name)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Values to draw arguments from: numbers, selectors, addresses with the funded accounts first.

    `own` are the targets, the addresses that they hold, and other contracts of the chain.
    """

    numbers: tuple[int, ...]
    selectors: tuple[bytes, ...]
    addresses: tuple[AddressBytes, ...]
    own: tuple[AddressBytes, ...] = ()

    def integers(self, low: int, high: int) -> list[int]:
        """Numbers from `low` to `high` worth trying, the boundaries first, then in their order."""
        near = (number + step for number in self.numbers for step in (0, 1, -1))
        found = dict.fromkeys([0, 1, high, high - 1, low, low + 1, high // 2, *COMMON, *near])
        negative = (-number for number in self.numbers) if low < 0 else ()
        return [number for number in dict.fromkeys([*found, *negative]) if low <= number <= high]

    def rare(self, low: int, high: int) -> list[int]:
        """The large numbers of `integers`, exact, which no other way of drawing numbers finds."""
        return [number for number in self.numbers if number >> RARE_BITS and low <= number <= high]

    def words(self, size: int) -> list[bytes]:
        """Values of `bytesN` worth trying: selectors and numbers, as Solidity aligns them."""
        padded = [selector.ljust(size, b"\0") for selector in self.selectors if size >= SELECTOR]
        words = [number.to_bytes(size) for number in self.numbers if number < 1 << 8 * size]
        return list(dict.fromkeys([bytes(size), b"\xff" * size, *padded, *words]))


_known: WeakKeyDictionary[Node, tuple[Sequence[Address], Block, Dictionary]] = WeakKeyDictionary()


def dictionary_of(contracts: Sequence[ContractBase]) -> Dictionary:
    """The values of contracts of one node.

    The last one of a node is kept while its chain grows by few blocks, as within an example.
    """
    apis = [contract.contract for contract in contracts]
    node: Node = apis[0].chain  # type: ignore[assignment]  # contracts in tests are a node's
    addresses = tuple(address_of(api.address) for api in apis)
    known = _known.get(node)
    if known is not None and known[0] == addresses:
        grown = node.chain.height - known[1].number
        if 0 <= grown <= MAX_GROWTH and node.chain.block(known[1].number) is known[1]:
            return known[2]
    dictionary = _collect(node, addresses)
    _known[node] = (addresses, node.chain.head, dictionary)
    return dictionary


def _collect(node: Node, targets: Sequence[Address]) -> Dictionary:
    state = node.chain.state_at(Tag.LATEST)
    numbers: dict[int, None] = {}
    selectors: dict[bytes, None] = {}
    hashes: set[int] = set()
    for address in targets:
        code = state.code(address)
        constants, known_selectors = code_constants(code[: metadata_range(code)[0]])
        selectors.update(dict.fromkeys(known_selectors[:MAX_VALUES]))
        numbers.update(dict.fromkeys(constants[:MAX_VALUES]))
        numbers.update(dict.fromkeys(state.storage_values(address, MAX_VALUES)))
        numbers[state.balance(address)] = None
        if artifact := node.artifacts.find_by_code(code, address):
            hashes |= set(map(int.from_bytes, artifact.abi.events))
    numbers.update(dict.fromkeys(_logged(node, targets)))
    kept = tuple(number for number in numbers if number not in hashes)
    accounts, contracts = named_accounts(node), contract_names(node, targets)
    named = {address: NamedAddress(address, name) for name, address in contracts.items()}
    held = [AddressBytes(each.to_bytes(20)) for each in kept if may_be_address(each)]
    own = [
        named.get(Address(each), each)
        for each in dict.fromkeys([*map(AddressBytes, targets), *held, *named.values()])
        if each not in accounts
    ]
    precompiled = sorted(node.chain.vm_class.get_state_class().computation_class.get_precompiles())
    others = map(AddressBytes, [ZERO_ADDRESS, *precompiled])
    return Dictionary(
        numbers=tuple(each for each in kept if not may_be_address(each)),
        selectors=tuple(selectors),
        addresses=tuple(dict.fromkeys([*accounts, *own, *others])),
        own=tuple(own[:MAX_OWN]),
    )


def _logged(node: Node, targets: Sequence[Address]) -> Iterator[int]:
    query = LogQuery(node.chain.first, node.chain.height, addresses=frozenset(targets))
    logs = list(islice(node.chain.logs(query), MAX_VALUES)) if not node.fork else []
    for mined in reversed(logs):
        yield from map(int.from_bytes, mined.log.topics[1:])
        yield from words_of(mined.log.data)


def words_of(data: bytes) -> Iterator[int]:
    return (int.from_bytes(data[at : at + WORD_SIZE]) for at in range(0, min(len(data), 320), 32))


def may_be_address(number: int) -> bool:
    """Whether a number is as large as addresses are: few amounts have more than 128 bits."""
    return ADDRESS_BITS - 24 < number.bit_length() <= ADDRESS_BITS


def named_accounts(node: Node) -> list[AddressBytes]:
    addresses = enumerate(node.accounts.addresses())
    return [NamedAddress(address, f"accounts[{index}]") for index, address in addresses]


# Constants of code


def code_constants(code: bytes) -> tuple[list[int], list[bytes]]:
    """The numbers and the selectors in runtime code, without the compiler's metadata.

    They are PUSH data that is neither a jump destination nor a mask. `PUSH3 461bcd PUSH1 e5 SHL` is
    the selector 0x08c379a0, which it moves to the left of a word.
    """
    pushed: dict[bytes, None] = {}
    destinations = set()
    instructions = list(walk(code))
    index = 0
    while index < len(instructions):
        offset, opcode, value = instructions[index]
        index += 1
        if opcode == Op.JUMPDEST:
            destinations.add(offset)
        elif opcode in PUSHES:
            following = instructions[index : index + 2]
            if [instruction.opcode for instruction in following] == [Op.PUSH1, Op.SHL]:
                value = _shifted(value, following[0].operand[0])
                index += 2
            pushed.setdefault(value)
    kept = [value for value in pushed if not _is_mask(int.from_bytes(value))]
    numbers = dict.fromkeys(int.from_bytes(value) for value in kept if len(value) != SELECTOR)
    return (
        [number for number in numbers if number not in destinations],
        [value for value in kept if len(value) == SELECTOR],
    )


def _shifted(value: bytes, bits: int) -> bytes:
    word = (int.from_bytes(value) << bits).to_bytes(2 * WORD_SIZE)[WORD_SIZE:]
    if any(word[:SELECTOR]) and not any(word[SELECTOR:]):
        return word[:SELECTOR]
    shifted = word.lstrip(b"\0")
    return word if len(shifted) == SELECTOR else shifted


def _is_mask(value: int) -> bool:
    inverted = value ^ (2 ** (8 * WORD_SIZE) - 1)
    return any(mask & (mask - 1) == 0 or mask & (mask + 1) == 0 for mask in (value, inverted))
