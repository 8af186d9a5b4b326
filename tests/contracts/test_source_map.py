"""`devchain.contracts.source_map`"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts.artifacts import Code
from devchain.contracts.source_map import NOWHERE, Instruction, instructions

CODE = bytes.fromhex("6001600255fe0102")  # PUSH1 1, PUSH1 2, SSTORE, INVALID, data


def test_compressed() -> None:
    """Each instruction has an entry; empty fields repeat the entry before; data has no entries."""
    code = Code(CODE, source_map="4:2:0:-:0;:3;9::1;:::i")

    assert list(instructions(code)) == [
        Instruction(0, 0x60, 0, (4, 6), "-"),
        Instruction(2, 0x60, 0, (4, 7), "-"),
        Instruction(4, 0x55, 1, (9, 12), "-"),
        Instruction(5, 0xFE, 1, (9, 12), "i"),
    ]


def test_entry_for_each_byte() -> None:
    """Vyper since 0.4 has an entry for each byte."""
    code = Code(CODE, source_map="4:2:0;-1:-1:-1;5:1:0", maps_bytes=True)

    assert [each[0] for each in instructions(code)] == [0, 1, 2]
    assert [each.span for each in instructions(code)] == [(4, 6), (0, 0), (5, 6)]


def test_malformed_entries() -> None:
    """Instructions with negative or malformed entries have no source."""
    malformed = Code(CODE, source_map="-1:-1:-1;1:1:-1;1:-1:0;x:1:0;9e9:1:0")

    assert {each.source for each in instructions(malformed)} == {NOWHERE}


@given(st.binary(max_size=60), st.text("0123456789:;-x٣ ", max_size=80), st.booleans())
def test_any_source_map(template: bytes, source_map: str, maps_bytes: bool) -> None:
    """Any source map is parsed; offsets are in the code, ranges are valid."""
    for each in instructions(Code(template, source_map=source_map, maps_bytes=maps_bytes)):
        assert template[each.offset] == each.opcode
        assert 0 <= each.span[0] <= each.span[1]
