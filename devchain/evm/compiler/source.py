"""The Python text of a region, written line by line while parts of it are still unknown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from devchain.evm.compiler.values import Value

STACK_LIMIT = 1_024
FIXED = {"state": "c.state", "this": "c.msg.storage_address", "data": "c.msg.data"}
"""What does not change while a message runs, by the name it has in regions that use it."""
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Charge:
    """Gas that is charged at once for the opcodes up to the next one that can see it."""

    amount: int = 0


@dataclass(frozen=True, slots=True)
class WriteBack:
    """The stack put back, so that somebody else can go on: `words` over `depth` words fewer."""

    words: tuple[Value, ...]
    depth: int


@dataclass(slots=True)
class Source:
    """Lines with their indentation; `depth` is how many words of the stack they begin with."""

    lines: list[tuple[int, str | Charge | WriteBack]] = field(default_factory=list)
    depth: int = 0
    height: int = 0
    names: int = 0
    bound: dict[str, object] = field(default_factory=dict)

    def line(self, indent: int, what: str | Charge | WriteBack) -> None:
        """Add a line."""
        self.lines.append((indent, what))

    def fresh(self) -> str:
        """A name for a variable that is assigned once."""
        self.names += 1
        return f"t{self.names}"

    def bind(self, value: object) -> str:
        """The name under which compiled code finds an object."""
        text = f"g{len(self.bound)}"
        self.bound[text] = value
        return text

    def render(self, *, start: int, is_loop: bool) -> str:
        """The whole function, of the region that begins at `start`."""
        lines = [self._rendered(indent + is_loop, what) for indent, what in self.lines]
        body = "\n".join(filter(None, lines))
        used = set(_WORD.findall(body))
        names = "".join(f"a{place}, " for place in range(self.depth, 0, -1))
        head = [
            "def region(c, stack, meter):",
            f" base = len(stack) - {self.depth}",
            f" if base < 0 or base > {STACK_LIMIT - self.depth - self.height}: return {-2 - start}",
            f" {names}= stack[base:]" if names else "",
            " mem = c._memory._bytes",
            " size = len(mem)",
            " gas = meter.gas_remaining",
            " mark = gas - WATCH_EVERY if gas > WATCH_EVERY else 0",
            *(f" {name} = {what}" for name, what in FIXED.items() if name in used),
            " while True:" if is_loop else "",
        ]
        return "\n".join([*filter(None, head), body])

    def _rendered(self, indent: int, what: str | Charge | WriteBack) -> str:
        margin = " " * (indent + 1)
        if isinstance(what, str):
            return margin + what
        if isinstance(what, Charge):
            if not what.amount:
                return ""
            return f"{margin}gas -= {what.amount}\n{margin}if gas < mark: mark = watch(gas)"
        untouched = [f"a{place}" for place in range(self.depth, what.depth, -1)]
        words = [*untouched, *(each.code for each in what.words)]
        return f"{margin}stack[base:] = [{', '.join(words)}]"
