"""`devchain.source.values`: values on the stack of solc's code."""

from __future__ import annotations

import pytest

from devchain.contracts.outline import Parameter
from devchain.contracts.value_types import parse_type
from devchain.source.values import UNKNOWN, memory_text, stack_text, stack_words
from devchain.types import checksum
from tests.fuzzing.work import bounded


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("uint256", 1),
        ("uint256[] memory", 1),
        ("uint256[] storage pointer", 1),
        ("struct Vault.Info calldata", 1),
        ("bytes calldata", 2),
        ("string calldata", 2),
        ("uint256[] calldata", 2),
        ("uint256[2][] calldata", 2),
        ("uint256[][2] calldata", 1),
        ("string[2] calldata", 1),
        ("string[] calldata", 2),
        ("function (uint256) external", 2),
        ("function (uint256) view external returns (bool,uint256)", 2),
        ("function (uint256) returns (function () external)", 1),
        ("function (function (uint256) external) returns (uint256)", 1),
        ("function (uint256) external returns (uint256)[] memory", 1),
        ("function (uint256) external[] storage pointer", 1),
    ],
)
def test_stack_words(kind: str, words: int) -> None:
    """Two words have dynamic data of the call, and functions of other contracts."""
    assert stack_words(Parameter("it", kind)) == words


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("uint8", "7"),
        ("address payable", f"0x{7:040x}"),
        ("contract Token", f"0x{7:040x}"),
        ("enum Vault.Color", "7"),
        ("uintLike", UNKNOWN),
        ("bytesPair", UNKNOWN),
        ("uint256[] storage pointer", UNKNOWN),
        ("contract Token[] storage pointer", UNKNOWN),
    ],
)
def test_simple(kind: str, text: str) -> None:
    """The types of the language that are one word are shown, others of similar names are not."""
    assert stack_text(parse_type(kind), [7], b"", checksum) == text


@pytest.mark.parametrize("kind", ["string memory", "bytes memory", "uint256[] memory"])
def test_beyond_known_memory(kind: str) -> None:
    """What is behind the memory that is known is not shown as empty."""
    assert stack_text(parse_type(kind), [0xA0], bytes(0xB0), checksum) == UNKNOWN


def test_empty() -> None:
    """Empty values point to memory that is never written, and perhaps never reached."""
    assert stack_text(parse_type("uint256[] memory"), [0x60], bytes(0x60), checksum) == "[]"
    assert stack_text(parse_type("string memory"), [0x60], bytes(0x80), checksum) == '""'


def test_arrays_within_arrays() -> None:
    """Of arrays beyond the known memory no more than one item is looked at."""
    kind = parse_type("uint256" + "[8]" * 15)

    assert bounded(lambda: memory_text(kind, 0, b"", checksum), calls=20_000, memory=10**6) is None
