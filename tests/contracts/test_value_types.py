"""`devchain.contracts.value_types`"""

from __future__ import annotations

import pytest

from devchain.contracts.value_types import Kind, parse_type


@pytest.mark.parametrize(
    ("text", "kind", "size"),
    [
        ("bool", Kind.BOOL, 0),
        ("uint", Kind.NUMBER, 256),
        ("uint8", Kind.NUMBER, 8),
        ("int256", Kind.NUMBER, 256),
        ("fixed168x10", Kind.NUMBER, 168),
        ("decimal", Kind.NUMBER, 168),
        ("uint257", Kind.OTHER, 0),
        ("uint8x2", Kind.OTHER, 0),
        ("address", Kind.ADDRESS, 20),
        ("address payable", Kind.ADDRESS, 20),
        ("contract Token", Kind.ADDRESS, 20),
        ("enum Vault.State", Kind.ENUM, 0),
        ("bytes4", Kind.FIXED_BYTES, 4),
        ("bytes32", Kind.FIXED_BYTES, 32),
        ("bytes33", Kind.OTHER, 0),
        ("bytes0", Kind.OTHER, 0),
        ("bytes", Kind.BYTES, 0),
        ("string memory", Kind.STRING, 0),
        ("String[8]", Kind.STRING, 8),
        ("Bytes[40]", Kind.BYTES, 40),
        ("uint8[3]", Kind.ARRAY, 3),
        ("uint8[] memory", Kind.LIST, 0),
        ("uint8[LIMIT]", Kind.OTHER, 0),
        ("DynArray[String[8], 3]", Kind.LIST, 3),
        ("HashMap[address, uint256]", Kind.MAPPING, 0),
        ("mapping(address => mapping(uint256 => bool))", Kind.MAPPING, 0),
        ("function (uint256) external", Kind.FUNCTION, 24),
        ("struct Vault.Info storage pointer", Kind.OTHER, 0),
        ("State", Kind.OTHER, 0),
        ("(uint256,bool)[2]", Kind.ARRAY, 2),
        ("uint8" + "[]" * 300, Kind.OTHER, 0),
    ],
)
def test_kind(text: str, kind: Kind, size: int) -> None:
    """Each compiler's names have a kind and a size; what is not understood is another type."""
    parsed = parse_type(text)

    assert (parsed.kind, parsed.size) == (kind, size)


def test_parts() -> None:
    """Elements, keys and locations."""
    parsed = parse_type("struct Vault.Info[][2] storage ref")
    mapping = parse_type("mapping(bytes32 => int8[2])")
    listed = parse_type("DynArray[HashMap[address, Bytes[2]], 3]")

    assert (parsed.location, parsed.element and parsed.element.text) == (
        "storage",
        "struct Vault.Info[]",
    )
    assert mapping.key == parse_type("bytes32")
    assert mapping.element == parse_type("int8[2]")
    assert listed.element == parse_type("HashMap[address, Bytes[2]]")


def test_numbers() -> None:
    """Bounds of numbers, and places of fixed-point ones."""
    assert parse_type("int8").bounds == (-128, 127)
    assert parse_type("uint16").bounds == (0, 65_535)
    assert (parse_type("decimal").places, parse_type("ufixed128x18").places) == (10, 18)
    assert parse_type("decimal").is_signed
