"""The examples in the docstrings of `devchain.evm.compiler`, run as doctests."""

from __future__ import annotations

import doctest
import re
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from devchain.evm import compiler
from devchain.evm.compiler.emitters import EMITTERS
from devchain.evm.compiler.instructions import (
    Layout,
    Operation,
    instruction_at,
    operations_of,
)
from devchain.evm.compiler.region import Region
from devchain.evm.hardforks import rules_for
from devchain.evm.opcodes import Op
from devchain.networks import HARDFORKS
from tests.bytecode import assemble

HEAD = re.compile(
    r"def region.*| base = .*| if base < 0 .*| mem = c\._memory\._bytes| size = len\(mem\)"
    r"| gas = meter\.gas_remaining| next_check = .*| *if gas < next_check: .*"
)
"""Lines that every function has, and the check after each charge."""
LEAVING = re.compile(r"return leave\(stack, base, (\[.*\]), meter, (gas.*), \d+\)$")
"""The return to the interpreter at the end, shown as the words on the stack and the gas left."""
UNVISITED = b"\x5b"
"""A JUMPDEST that has not run: the region ends before it."""


def computation(fork: str) -> Any:
    """The computation class of a hardfork."""
    return rules_for(fork).vm_class.get_state_class().computation_class


def operations(fork: str) -> dict[int, Operation | None]:
    """What the compiler makes of the opcodes of a hardfork."""
    found = computation(fork)
    return operations_of(found.opcodes, found.opcode_rules)


class EveryBlockRan(dict[int, int]):
    """Counts of a program whose blocks have all run once, except the one at `end`."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end

    def get(self, pc: int, default: Any = None) -> Any:
        """1, or 0 for the end."""
        return int(pc != self.end)


@dataclass
class Profile:
    """What the compiler reads of a `Program`."""

    code: bytes
    fork: str
    counts: dict[int, int]
    opcodes: dict[int, Any] = field(init=False)
    operations: dict[int, Operation | None] = field(init=False)
    loops: set[int] = field(default_factory=set)
    usual: int = 1
    varying: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.opcodes, self.operations = computation(self.fork).opcodes, operations(self.fork)

    @property
    def destinations(self) -> frozenset[int]:
        return Layout.of(self.code).destinations


def shortened(text: str) -> str:
    """The text with long numbers shortened: 0xff...ff."""
    return re.sub(r"0x([0-9a-f]{2})[0-9a-f]{57,61}([0-9a-f]{2})\b", r"0x\1...\2", text)


def _print(text: str) -> None:
    sys.stdout.write(shortened(text) + "\n")


def compiled(assembly: str, fork: str = "prague") -> None:
    """Print the function of a region."""
    code = assemble(assembly)
    _print(Region(Profile(code, fork, EveryBlockRan(-1)), 0).python())


def emitted(assembly: str, fork: str = "prague") -> None:
    """Print the lines compiled for some opcodes, without those common to all functions."""
    code = assemble(assembly)
    profile = Profile(code + UNVISITED, fork, EveryBlockRan(len(code)))
    text = LEAVING.sub(r"return \1, \2", Region(profile, 0).python())
    lines = [line[1:] for line in text.splitlines() if not HEAD.fullmatch(line)]
    _print("\n".join(lines))


MODULES = [
    compiler,
    *(
        import_module(f"{compiler.__name__}.{each.name}")
        for each in iter_modules(compiler.__path__)
    ),
]
GLOBALS = {
    "compiled": compiled,
    "emitted": emitted,
    "operations": operations,
    "Op": Op,
    "instruction_at": instruction_at,
    "Layout": Layout,
}
EXAMPLES = [
    each
    for module in MODULES
    for each in doctest.DocTestFinder(exclude_empty=True).find(module, globs=dict(GLOBALS))
    if each.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name.rpartition("compiler")[2])
def test_example(example: doctest.DocTest) -> None:
    """Each example prints the output shown."""
    differences: list[str] = []

    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=differences.append)

    assert not differences, "".join(differences)


@pytest.mark.parametrize("fork", HARDFORKS)
def test_every_operation(fork: str) -> None:
    """Every operation has an emitter."""
    known = {operation.name for operation in operations(fork).values() if operation}

    assert known <= {*EMITTERS, "jump", "jumpi"}
