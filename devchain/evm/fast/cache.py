"""The programs of one VM class: as many as were used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from devchain.evm.fast.operations import recognise
from devchain.evm.fast.program import HOT, Program

MOST = 512
"""How many programs are kept."""


class Programs:
    """Programs by their code, under one opcode table; the least recently used goes first."""

    def __init__(self, opcodes: dict[int, Any], hot: int = HOT) -> None:
        """Know what each opcode of the table does."""
        self._hot = hot
        self._opcodes = opcodes
        self._operations = {opcode: recognise(each) for opcode, each in opcodes.items()}
        self._kept: OrderedDict[bytes, Program] = OrderedDict()

    def of(self, code: bytes) -> Program:
        """The program of that code."""
        program = self._kept.get(code)
        if program is None:
            program = self._kept[code] = Program(code, self._opcodes, self._operations, self._hot)
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
        else:
            try:  # noqa: SIM105  # what `suppress` costs, every message would pay
                self._kept.move_to_end(code)
            except KeyError:
                pass  # a node in another thread has just dropped it
        return program
