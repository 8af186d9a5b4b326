"""Coverage and stepping of drawn Vyper programs, compared with an interpreter of them."""

from __future__ import annotations

import pytest

from tests.vyper_programs.check import NAME, WORST, check_program
from tests.vyper_programs.drawn import DECLARATIONS, SENDER, Program
from tests.vyper_programs.interpreter import DEPLOYMENT, Call, Interpreter
from tests.vyper_programs.recorded import RECORDED, SEEDS, recorded, recorded_program

COUNTED = """
@deploy
def __init__():
    self.amount = 2

@external
def count(most: uint256) -> uint256:
    for each: uint256 in range(3):
        if each == most:
            return self.amount // most
        self.amount += each
    raise "none"
"""


class TestInterpreter:
    @pytest.mark.parametrize(
        ("most", "lines", "value"),
        [
            (0, [8, 9, 10], None),
            (1, [8, 9, 11, 8, 9, 10], 2),
            (9, [8, 9, 11, 8, 9, 11, 8, 9, 11, 12], None),
        ],
        ids=["division-by-zero", "return", "raise"],
    )
    def test_lines(self, most: int, lines: list[int], value: int | None) -> None:
        """Each statement begins on its line; one that fails has begun, and undoes the others."""
        interpreter = Interpreter(Program(DECLARATIONS + COUNTED, ()).text(), SENDER)
        interpreter.transact(DEPLOYMENT)

        outcome = interpreter.transact(Call("count", (most,)))

        offset = DECLARATIONS.count("\n")
        assert [each.line - offset for each in outcome.events] == lines
        assert (outcome.value, outcome.failed) == (value, value is None)
        assert vars(interpreter.storage)["amount"] == 2


class TestDrawnPrograms:
    @pytest.mark.parametrize("seed", SEEDS)
    @pytest.mark.parametrize("build", RECORDED)
    def test_lines(self, build: str, seed: int) -> None:
        """A line that ran is never reported missed, nor one that did not run reported run."""
        program, compiled = recorded_program(seed), recorded()[build][seed]
        written = compiled["input"]["sources"][f"{NAME}.vy"]["content"]
        is_recorded = written == program.text("0.4") or written == program.text("0.3")
        assert is_recorded, "run python -m tests.vyper_programs --record"

        found = check_program(program, compiled).findings

        assert [each for each in found if each.kind in WORST] == []
