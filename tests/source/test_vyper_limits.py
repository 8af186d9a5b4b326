"""Tests of `devchain.source.refusals`."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.source.refusals import too_long

SOURCE = """
WORDS: constant(uint256) = 1_0  # of a label
NAMES: public(constant(uint256)) = 2
TWICE: constant(uint256) = NAMES * 2

struct Label:
    who: address
    text: String[WORDS]  # short

struct Book:
    labels: DynArray[Label,NAMES]
    mark: Bytes[1]

event Told:
    text: String[1]
"""


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("String[3]", "abc", None),
        ("String[3]", "abcd", "it: 4 bytes, and String[3] has at most 3"),
        ("String[3]", "éé", "it: 4 bytes, and String[3] has at most 3"),
        ("Bytes[2]", b"\0\0\0", "it: 3 bytes, and Bytes[2] has at most 2"),
        ("DynArray[uint256, 2]", [1, 2], None),
        ("DynArray[uint256, 2]", (1, 2, 3), "it: 3 items, and DynArray[uint256, 2] has at most 2"),
        ("DynArray[DynArray[int8, 1], 2]", [[1], [1, 2]],
         "it[1]: 2 items, and DynArray[int8, 1] has at most 1"),
        ("String[2][3]", ["a", "b", "ccc"], "it[2]: 3 bytes, and String[2] has at most 2"),
        ("String[WORDS]", "a" * 11, "it: 11 bytes, and String[10] has at most 10"),
        ("DynArray[String[WORDS], NAMES]", ["a", "b" * 11],
         "it[1]: 11 bytes, and String[10] has at most 10"),
        ("Label", ("0x", "a" * 11), "it.text: 11 bytes, and String[10] has at most 10"),
        ("Book", ([("0x", "a")], b"12"), "it.mark: 2 bytes, and Bytes[1] has at most 1"),
        ("Book", ([("0x", "a")] * 3, b""),
         "it.labels: 3 items, and DynArray[Label, 2] has at most 2"),
        ("Book", ([("0x", "a"), ("0x", "a" * 11)], b""),
         "it.labels[1].text: 11 bytes, and String[10] has at most 10"),
        ("String[TWICE]", "abcdefgh", None),  # not computed
        ("String[UNKNOWN]", "abcdefgh", None),
        ("other.Label", ("0x", "a" * 11), None),
        ("uint256", 5, None),
        ("address", "0x" + "00" * 20, None),
        ("uint256[2]", (1, 2), None),
        ("", "abc", None),
        ("String[" + "9" * 20 + "]", "abc", None),
    ],
)  # fmt: skip
def test_too_long(kind: str, value: Any, expected: str | None) -> None:
    """Values are compared with their types, constants and structs of the source included."""
    found = too_long(kind, value, "it", SOURCE)

    assert (f"{found[0]}: {found[1]}" if found else None) == expected
