"""What decodes ABI data takes time and memory that the size of the data bounds, for any data.

A case is the types of some values, and data: a list of hex strings, each with how often it follows.
All decoders get the data: values by an artifact's types and what is written of them, the arguments
of a precompiled contract, `console.log`, reasons of reverts, token transfers. Each may make
`MAX_CALLS` of functions and take `MAX_MEMORY`, of the bytes that values may have. What decodes is
what eth-abi decodes, where that is not too large.

`python -m tests.fuzzing abi` checks the cases in `abi_corpus`, then those that Hypothesis draws.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eth_abi import abi as eth_abi
from eth_abi.exceptions import DecodingError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.contracts.abi import Decoded, Entry, Param, decode_values, format_arguments
from devchain.contracts.abi_decoder import EXPANSION, MIN_LIMIT, Undecoded
from devchain.contracts.console import console_message
from devchain.contracts.token_transfers import TRANSFER_BATCH, token_transfers
from devchain.evm.revert_reasons import ERROR_SELECTOR, revert_message
from devchain.evm.rootstock.precompiles import native_contract
from devchain.types import Address
from tests.fuzzing.work import bounded

CORPUS = Path(__file__).parent / "abi_corpus"

MAX_CALLS = 0.5
"""Of functions, for each byte that values may have; some more are free."""
FREE_CALLS = 5_000
CHECKSUM_CALLS = 4.0
"""As many where each address is written, each letter of which takes some."""

MAX_MEMORY = 12
"""Bytes of objects, for each byte that values may have."""
FREE_MEMORY = 1_000_000

COMPARED_SIZE = 4_096
"""Bytes of data that eth-abi decodes too, if no arrays are within arrays."""

SELECTORS = (b"\x41\x30\x4f\xac", b"\x4b\x5c\x42\x77", ERROR_SELECTOR)
"""Of `log(string)` and `log(string,string)`, and of reasons."""

NATIVE = ("int256", "bytes[]", "bytes32[]", "string")
"""Types of arguments of precompiled contracts, of which all have some."""


@dataclass(frozen=True)
class Case:
    """Types, and data in pieces that are repeated."""

    kinds: list[str]
    data: list[tuple[str, int]]

    @property
    def encoded(self) -> bytes:
        """The data."""
        return b"".join(bytes.fromhex(piece) * times for piece, times in self.data)

    def as_json(self) -> str:
        """The case as a file of the corpus."""
        return json.dumps(asdict(self))


def measured(size: int, work: Callable[[], Any], per_byte: float = MAX_CALLS) -> Any:
    """The result of some work on so many bytes; raises `AssertionError` if it is too much."""
    limit = max(EXPANSION * size, MIN_LIMIT)
    return bounded(
        work, calls=FREE_CALLS + per_byte * limit, memory=FREE_MEMORY + MAX_MEMORY * limit
    )


def check(case: Case) -> None:
    """Decode the data of a case in every way; raises `AssertionError`."""
    data, params = case.encoded, [Param.from_text(kind) for kind in case.kinds]
    size = len(data)
    values = measured(size, lambda: decode_values(params, data))
    if values is not None:
        entry = Entry("function", "f", tuple(params))
        measured(size, lambda: format_arguments(params, values))
        decoded = Decoded(entry, values)
        measured(size, lambda: decoded.positional, CHECKSUM_CALLS)
    for selector in SELECTORS:
        measured(size, lambda with_it=selector + data: console_message(with_it))
        measured(size, lambda with_it=selector + data: revert_message(with_it))
    topics = [TRANSFER_BATCH, *[bytes(32)] * 3]
    account = Address(bytes(20))
    measured(size, lambda: token_transfers(account, topics, data))
    for start in range(len(NATIVE)):
        try:
            measured(size, lambda kinds=NATIVE[start:]: native_contract.decode(kinds, data))
        except ValueError:
            continue
    if size <= COMPARED_SIZE and not any("][" in kind or ")[" in kind for kind in case.kinds):
        compare(case.kinds, data, values)


def compare(kinds: list[str], data: bytes, values: tuple[Any, ...] | None) -> None:
    """Compare with eth-abi; raises `AssertionError`.

    It takes the heads of static tuples and arrays for a word long, and so has pointers into heads.
    """
    try:
        expected = eth_abi.decode(kinds, data)
    except (DecodingError, OverflowError, ValueError):
        expected = None
    if values is None:
        has_static_heads = any(kind.endswith(")") or "[" in kind for kind in kinds)
        assert expected is None or has_static_heads, f"{expected} was not decoded"
    elif not any(isinstance(value, Undecoded) for value in values):
        assert plain(values) == plain(expected), f"{values} is not {expected}"


def plain(value: Any) -> Any:
    """A value with arrays as lists, and addresses as bytes."""
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    is_address = isinstance(value, str) and value.startswith("0x") and len(value) == 42
    return bytes.fromhex(value[2:]) if is_address else value


# Strategies

_basic = st.sampled_from(
    ["uint256", "uint8", "int16", "bool", "address", "bytes3", "function", "fixed16x2"]
    + ["string", "bytes"] * 3
)


def _compound(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    size = st.sampled_from(["", "", "", "1", "2", "100"])
    arrays = st.builds(lambda part, count: f"{part}[{count}]", parts, size)
    tuples = st.lists(parts, min_size=1, max_size=3).map(lambda kinds: f"({','.join(kinds)})")
    return st.one_of(arrays, arrays, tuples)


kinds = st.recursive(_basic, _compound, max_leaves=6).filter(lambda kind: len(kind) < 100)
"""ABI types."""

_numbers = st.one_of(
    st.integers(0, 40).map(lambda words: 32 * words),
    st.integers(0, 5),
    st.sampled_from([31, 100, 255, 1_000, 2**31 - 1, 2**32, 2**255, 2**256 - 1]),
)
_words = st.one_of(
    _numbers.map(lambda number: number.to_bytes(32).hex()),
    st.sampled_from(["61" * 31 + "00", "61" * 32, "ff" * 32, "c328" + "00" * 30]),
    st.binary(max_size=33).map(bytes.hex),
)
_times = st.sampled_from([1, 1, 1, 2, 3, 30, 500, 1_800])
cases = st.builds(
    Case,
    st.lists(kinds, min_size=1, max_size=3),
    st.lists(st.tuples(_words, _times), max_size=12),
)
"""Cases of any types, with words that are often pointers and sizes."""


def corpus() -> dict[str, Case]:
    """The cases that are kept, by name."""
    found = {}
    for path in sorted(CORPUS.glob("*.json")):
        members = json.loads(path.read_text("utf-8"))
        found[path.stem] = Case(members["kinds"], [(piece, n) for piece, n in members["data"]])
    return found


def replay() -> None:
    """Check the cases that are kept."""
    for kept in corpus().values():
        check(kept)


@settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(cases)
def search(found: Case) -> None:
    """Check some cases that Hypothesis draws."""
    check(found)
