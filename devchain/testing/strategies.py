"""Hypothesis strategies for arguments of contracts, from their ABI; `devchain.strategies`.

What is drawn is a boundary of the type, a value from the contract's `Dictionary`, or anything.
Values shrink to small numbers, the first accounts and short strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from devchain.contracts.abi import Entry, Param
from devchain.contracts.contract import Contract, ContractBase, Function
from devchain.contracts.value_types import Kind, scaled
from devchain.errors import InvalidInput
from devchain.testing.dictionary import Dictionary, dictionary_of, named_accounts
from devchain.types import AddressBytes

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from devchain.node import Node

MAX_ITEMS = 5
FEW = 4  # accounts that are drawn more often than others, so that calls meet each other
MAX_LENGTH = 100  # bytes of `bytes`, characters of `string`
NO_VALUES = Dictionary((), (), tuple(AddressBytes(index.to_bytes(20)) for index in range(3)))


def arguments(function: Function) -> SearchStrategy[tuple[Any, ...]]:
    """Arguments of a contract's function, as a tuple: `vault.deposit(*data.draw(...))`.

    They come from the ABI. Raises `InvalidInput` for an overloaded function: choose one by its
    signature, `token["mint(address,uint256)"]`.
    """
    entry = only_entry(function)
    known = dictionary_of([Contract(function.contract)])
    return st.tuples(*(strategy_of(param, known) for param in entry.inputs))


def value(kind: str, contract: ContractBase | None = None) -> SearchStrategy[Any]:
    """Values of an ABI type such as `uint256` or `(address,bool)[]`.

    Boundaries of the type are frequent. With a contract, so are constants of its code, values of
    its storage and events, and addresses of its chain. Raises `InvalidInput` for an unknown type.
    """
    known = dictionary_of([contract]) if contract else NO_VALUES
    return strategy_of(Param.from_text(kind), known)


def ether(function: Function, most: int = 10**20) -> SearchStrategy[int]:
    """An amount of wei to send with a call, at most `most`. 0 if the function is not payable."""
    if only_entry(function).mutability != "payable":
        return st.just(0)
    known = dictionary_of([Contract(function.contract)])
    return _biased(known.integers(0, most), st.integers(0, most))


def accounts(node: Node) -> SearchStrategy[AddressBytes]:
    return st.sampled_from(named_accounts(node))


def only_entry(function: Function) -> Entry:
    """The ABI entry of a function that is not overloaded; raises `InvalidInput`."""
    if len(function.entries) > 1:
        name, signature = function.contract.name, function.entries[0].signature
        raise InvalidInput(f'{function!r} is overloaded: say which, {name}["{signature}"]')
    return function.entries[0]


def strategy_of(param: Param, known: Dictionary) -> SearchStrategy[Any]:  # noqa: PLR0911  # one a kind
    kind = param.value_type
    match kind.kind:
        case Kind.ARRAY | Kind.LIST:
            least, most = (kind.size, kind.size) if kind.size else (0, MAX_ITEMS)
            return st.lists(strategy_of(param.element, known), min_size=least, max_size=most)
        case Kind.ADDRESS:
            anything = st.binary(min_size=20, max_size=20).map(AddressBytes)
            first = st.sampled_from((*known.addresses[:FEW], *known.own))
            return st.one_of(first, st.sampled_from(known.addresses), anything)
        case Kind.BOOL:
            return st.booleans()
        case Kind.STRING:
            return st.text(max_size=MAX_LENGTH)
        case Kind.BYTES:
            return _biased([b"", *known.selectors], st.binary(max_size=MAX_LENGTH))
        case Kind.FIXED_BYTES | Kind.FUNCTION:
            size = kind.size
            return _biased(known.words(size), st.binary(min_size=size, max_size=size))
        case Kind.NUMBER:
            drawn = _biased(known.integers(*kind.bounds), st.integers(*kind.bounds))
            is_integer = param.is_decimal or not kind.places
            return drawn if is_integer else drawn.map(lambda number: scaled(number, kind.places))
    return st.tuples(*(strategy_of(component, known) for component in param.components))


def _biased(known: Sequence[Any], anything: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.one_of(anything, st.sampled_from(known)) if known else anything
