"""Internal calls: the calls of functions in one contract, followed through the jumps of a message.

Compilers mark the jumps into functions, and solc those out of them. A function returns to the
instruction behind the jump that called it:

    12 JUMP   i   pay() calls take()           open: pay to 13
    80 JUMP   i   take() calls a helper        open: pay to 13, take to 81
    95 JUMP   -   the helper returns to 81     open: pay to 13
    97 JUMP   o   take() returns to 13         open: none
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from devchain.contracts.source_map import INTO, OUT_OF

MAX_OPEN = 1024
"""As many calls as the EVM's stack has words: each has the offset that it returns to there."""

Kept = TypeVar("Kept")

Jumps = tuple[tuple[int, int], ...]
"""The last jumps that were taken, each with its offset and its destination, in order."""


@dataclass(frozen=True, slots=True)
class InternalCall:
    """A call of an internal function: offset of its jump, destination, and the stack before it.

    `stack` is the top of it, without the operands of the jump, `height` how many words it had.
    `jumps` are those before it, if the code at the offset does not tell where it is from. `memory`
    is its beginning at the call, if the function has parameters that point there.
    """

    offset: int
    target: int
    stack: Sequence[int | bytes]
    height: int
    jumps: Jumps = ()
    memory: bytes = b""


class InternalCalls(Generic[Kept]):
    """The internal calls that are open in a message.

    `open` has them from the outermost on: the offset that each returns to, what the follower keeps
    of it, and whether it is a tail call. That is a jump like any other, which an optimizer made of
    a call whose function returns to its caller's caller.
    """

    __slots__ = ("fixed", "jumps", "open")

    def __init__(self, jumps: Mapping[int, str], fixed: Collection[int] = ()) -> None:
        """Follow a message whose code has these marks at its jumps, by offset (`CodeMap.jumps`).

        Jumps at the offsets `fixed` (`CodeMap.fixed_jumps`) return from nothing.
        """
        self.jumps = jumps
        self.fixed = fixed
        self.open: list[tuple[int, Kept, bool]] = []

    def is_call(self, offset: int) -> bool:
        """Whether a jump calls a function."""
        return self.jumps.get(offset) == INTO

    def enter(self, offset: int, kept: Kept, *, is_tail: bool = False) -> bool:
        """Open the call of a function by the jump at an offset; False if too many are open."""
        calls = self.open
        if len(calls) >= MAX_OPEN:
            return False
        back = offset + 1
        if is_tail:
            back = calls[-1][0] if calls else -1
        calls.append((back, kept, is_tail))
        return True

    def leave(self, offset: int, target: int) -> Kept | None:
        """Close the calls that a jump returns from; what was kept of the outermost of them.

        That is the innermost call that returns to the target, with those within it: of a function
        that the optimizer ended with a call, no jump returns. A marked jump returns at least from
        the innermost.
        """
        calls = self.open
        if not calls or offset in self.fixed:
            return None
        first = len(calls) - 1 if self.is_call(target - 1) else -1
        while first >= 0 and calls[first][0] != target:
            first -= 1
        if first < 0:
            if self.jumps.get(offset) != OUT_OF:
                return None
            first = len(calls) - 1
        while first and calls[first][2]:
            first -= 1
        kept = calls[first][1]
        del calls[first:]
        return kept
