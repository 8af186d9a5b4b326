"""`devchain.evm.missing_opcodes`"""

from __future__ import annotations

import doctest
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest

from devchain.contracts.artifact_formats import parse_artifacts
from devchain.evm import missing_opcodes as module
from devchain.evm.missing_opcodes import EVM_VERSIONS, advice, advice_on, missing_opcodes
from devchain.evm.opcodes import OPCODES, Op
from tests.bytecode import assemble

COMPILED = Path(__file__).parents[1] / "failures" / "compiled"
HASH = (bytes.fromhex("5b5f5c5d5e") * 7)[:34]
METADATA = b"\xa2dipfsX\x22" + HASH + b"dsolcC\x00\x08\x18\x00\x33"
"""Metadata of solc whose hash would be instructions that are reached."""


def names(code: bytes, hardfork: str) -> list[str]:
    return [opcode.name for opcode in missing_opcodes(code, hardfork)]


class TestMissingOpcodes:
    def test_example(self) -> None:
        """The example in the module's docstring is true."""
        assert not doctest.testmod(module).failed

    @pytest.mark.parametrize(
        ("hardfork", "expected"),
        [
            ("papyrus", ["PUSH0", "MCOPY", "TLOAD", "BLOBHASH", "CLZ"]),
            ("arrowhead", ["MCOPY", "TLOAD", "BLOBHASH", "CLZ"]),
            ("vetiver", ["BLOBHASH", "CLZ"]),
            ("shanghai", ["MCOPY", "TLOAD", "BLOBHASH", "CLZ"]),
            ("cancun", ["CLZ"]),
            ("osaka", []),
        ],
    )
    def test_by_hardfork(self, hardfork: str, expected: list[str]) -> None:
        """They are those that the hardfork's own table lacks, each once, in the code's order."""
        code = assemble("PUSH0 PUSH0 PUSH0 MCOPY PUSH0 TLOAD BLOBHASH CLZ STOP")

        assert names(code, hardfork) == expected

    @pytest.mark.parametrize(
        "code",
        [
            pytest.param(bytes.fromhex("615f5e5000"), id="operand"),
            pytest.param(assemble("STOP") + b"\x5f\x5e", id="after-the-end"),
            pytest.param(assemble("INVALID") + b"\x5f\x5e", id="designated-invalid"),
            pytest.param(assemble("CALLER") + b"\x0c\x5f\x5e", id="after-what-no-hardfork-has"),
            pytest.param(assemble("STOP") + METADATA, id="metadata"),
            pytest.param(assemble("STOP") + METADATA + assemble("JUMPDEST STOP"), id="inside"),
            pytest.param(b"", id="empty"),
        ],
    )
    def test_data(self, code: bytes) -> None:
        """Operands, metadata (also of a contract inside) and other data are no instructions."""
        assert names(code, "papyrus") == []

    def test_behind_metadata(self) -> None:
        """Code behind the metadata of a contract inside it is read."""
        code = assemble("STOP") + METADATA + assemble("JUMPDEST PUSH0 STOP")

        assert names(code, "papyrus") == ["PUSH0"]

    @pytest.mark.parametrize(
        ("build", "expected"),
        [
            ("solc-0.4", set()),
            ("solc-0.6-optimized", set()),
            ("solc-0.8-optimized", {"PUSH0", "MCOPY"}),
            ("vyper-0.3", {"PUSH0"}),
            ("vyper-0.4", {"PUSH0", "MCOPY", "TLOAD", "TSTORE"}),
        ],
    )
    def test_compiled(self, build: str, expected: set[str]) -> None:
        """In contracts of compilers they are those of the `evmVersion`, and nothing else."""
        found = {name for code in codes(build) for name in names(code, "papyrus")}

        assert found == expected


def codes(build: str) -> Iterator[bytes]:
    content = json.loads(lzma.decompress((COMPILED / f"{build}.json.xz").read_bytes()))
    for artifact in parse_artifacts(content):
        yield artifact.creation.template
        yield artifact.runtime.template


class TestAdvice:
    def test_several(self) -> None:
        """The setting avoids all of them."""
        opcodes = [Op.TLOAD, Op.TSTORE, Op.MCOPY, Op.PUSH0]

        assert advice(opcodes, "iris") == (
            "TLOAD and TSTORE and MCOPY are not available before lovell, PUSH0 is not available "
            "before arrowhead; compile with evmVersion paris"
        )

    def test_never(self) -> None:
        """An opcode that no hardfork of the chain has is not promised."""
        assert advice([Op.BLOBHASH], "vetiver") == (
            "BLOBHASH is not available in any upgrade yet; compile with evmVersion shanghai"
        )

    def test_none(self) -> None:
        """Without opcodes there is nothing to say."""
        assert advice([], "iris") == ""

    @pytest.mark.parametrize("opcode", [Op.INVALID, Op.ADD, 0x0C])
    def test_other_failures(self, opcode: int) -> None:
        """An instruction that the hardfork has, or none has, is no matter of its version."""
        assert advice_on(opcode, "vetiver") == ""

    @pytest.mark.parametrize("hardfork", ["frontier", "orchid"])
    def test_every_opcode(self, hardfork: str) -> None:
        """Each opcode that an early hardfork lacks has a setting that avoids it."""
        known = {opcode for _, opcodes in EVM_VERSIONS for opcode in opcodes}
        lacking = [opcode for opcode in OPCODES.values() if advice_on(opcode, hardfork)]

        assert set(lacking) <= known
