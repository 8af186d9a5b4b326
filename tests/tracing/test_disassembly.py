"""`devchain.tracing.opcode_step`"""

from __future__ import annotations

from devchain.node import Node
from devchain.tracing.opcode_step import Instruction, disassemble


class TestDisassemble:
    def test_opcodes(self, node: Node) -> None:
        """Opcodes have offsets, names and the operands of PUSH; what is none is invalid."""
        found = list(disassemble(bytes.fromhex("6001610203015b0c"), node.chain.vm_class))

        assert found[:4] == [
            Instruction(0, "PUSH1", b"\x01"),
            Instruction(2, "PUSH2", b"\x02\x03"),
            Instruction(5, "ADD"),
            Instruction(6, "JUMPDEST"),
        ]
        assert "0c" in found[4].name.lower() or "0xc" in found[4].name.lower()

    def test_cut_operand(self, node: Node) -> None:
        """An operand that the code ends in is as long as the code."""
        assert list(disassemble(b"\x7f\x01", node.chain.vm_class)) == [
            Instruction(0, "PUSH32", b"\x01")
        ]
