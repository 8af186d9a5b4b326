"""Vyper's code: its instructions and jumps, the heights of the stack, and source ranges."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property

from devchain.contracts.artifacts import Artifact, Code
from devchain.contracts.source_file import ONLY_JUMPS, SourceFile, is_in_source_order
from devchain.contracts.source_map import (
    ENDS,
    INTO,
    PUSHES,
    instruction_offsets,
    instructions,
    pushed_targets,
)
from devchain.contracts.syntax_tree import Function, Span

STOP, ISZERO, POP, MSTORE, JUMP, JUMPI, JUMPDEST = 0x00, 0x15, 0x50, 0x52, 0x56, 0x57, 0x5B
RETURN, REVERT, INVALID, SELFDESTRUCT = 0xF3, 0xFD, 0xFE, 0xFF
PUSH_SELECTOR = range(0x60, 0x64)
CALLVALUE, CALLDATASIZE = 0x34, 0x36
ALL_PUSHES, DUPS, SWAPS = range(0x5F, 0x80), range(0x80, 0x90), range(0x90, 0xA0)

GROWTH: dict[int, int] = {
    **dict.fromkeys([0x15, 0x19, 0x31, 0x35, 0x3B, 0x3F, 0x40, 0x49, 0x51, 0x54, 0x5C], 0),
    **dict.fromkeys([STOP, JUMPDEST, INVALID, *SWAPS], 0),
    **dict.fromkeys([*range(0x01, 0x08), 0x0A, 0x0B, *range(0x10, 0x15)], -1),
    **dict.fromkeys([*range(0x16, 0x19), *range(0x1A, 0x1E), 0x20, POP, JUMP, SELFDESTRUCT], -1),
    **dict.fromkeys([0x08, 0x09, MSTORE, 0x53, 0x55, JUMPI, 0x5D, RETURN, REVERT, 0xF0], -2),
    **dict.fromkeys([0x37, 0x39, 0x3E, 0x5E, 0xF5], -3),
    **dict.fromkeys([0x30, *range(0x32, 0x35), 0x36, 0x38, 0x3A, 0x3D], 1),
    **dict.fromkeys([*range(0x41, 0x49), 0x4A, 0x58, 0x59, 0x5A, *ALL_PUSHES, *DUPS], 1),
    **{opcode: -2 - (opcode - 0xA0) for opcode in range(0xA0, 0xA5)},
    0x3C: -4,
    0xF1: -6,
    0xF2: -6,
    0xF4: -5,
    0xFA: -5,
}
"""By how many words opcodes make the stack higher."""

MAX_COMPARISON = 5
"""Instructions that compare a selector, up to the jump behind."""

MAX_REVERT = 3
"""Instructions of the code to which failing checks jump."""


class VyperCode:
    """The instructions of some code by index, the height of the stack there, and what follows.

    Heights are relative to that at the beginning of a function. `function_at` has the name of the
    function that begins at an offset, and whether it returns anything.
    """

    def __init__(
        self,
        artifact: Artifact,
        code: Code,
        files: Mapping[int, SourceFile],
        function_at: Callable[[int], tuple[str, bool] | None],
    ) -> None:
        offsets = frozenset(instruction_offsets(code.template))
        self.artifact = artifact
        self.template = code.template
        self.files = files
        self.targets = pushed_targets(code)
        self.code = [each for each in instructions(code) if each.offset in offsets]
        self.index = {each.offset: index for index, each in enumerate(self.code)}
        self._function_at = function_at

    @cached_property
    def is_in_order(self) -> bool:
        """Whether code is in the order of the source: that of Venom is not."""
        return is_in_source_order(self.artifact, self.files)

    @cached_property
    def is_optimized(self) -> bool:
        """Whether vyper optimized the code: it then takes out double negations before jumps."""
        negated = bytes([ISZERO, ISZERO, JUMPI])
        opcodes = bytes(each.opcode for each in self.code if each.opcode not in PUSHES)
        return negated not in opcodes

    def pushed(self, index: int) -> int | None:
        """The jump destination that an instruction pushes the offset of."""
        each = self.code[index] if 0 <= index < len(self.code) else None
        if each is None or each.opcode not in PUSHES:
            return None
        size = each.opcode - PUSHES[0] + 1
        value = self.template[each.offset + 1 : each.offset + 1 + size]
        target = self.index.get(int.from_bytes(value, "big"))
        is_target = target is not None and self.code[target].opcode == JUMPDEST
        return target if is_target else None

    @cached_property
    def references(self) -> dict[int, list[int]]:
        """The pushes of each jump destination."""
        found: dict[int, list[int]] = defaultdict(list)
        for index in range(len(self.code)):
            target = self.pushed(index)
            if target is not None:
                found[target].append(index)
        return found

    def compares_selector(self, jump: int) -> bool:
        """Whether a conditional jump is the choice of a function by its selector."""
        code, selectors = self.code, self.artifact.abi.functions
        pushes = (
            each
            for each in code[max(0, jump - MAX_COMPARISON) : jump]
            if each.opcode in PUSH_SELECTOR
        )
        ends = ((each.offset + 1, each.offset + each.opcode - PUSHES[0] + 2) for each in pushes)
        return any(self.template[start:end].rjust(4, b"\0") in selectors for start, end in ends)

    def fails(self, label: int) -> bool:
        """Whether the code at a label is that of all failing checks."""
        opcodes = []
        for each in self.code[label + 1 : label + 1 + MAX_REVERT]:
            opcodes.append(each.opcode)
            if each.opcode == REVERT:
                return all(opcode in ALL_PUSHES or opcode in DUPS for opcode in opcodes[:-1])
        return False

    @property
    def heights(self) -> list[int | None]:
        """The height of the stack before each instruction; None where no code leads to it."""
        return self._followed[0]

    @property
    def after(self) -> list[tuple[int, ...]]:
        """What may run after each instruction: the next one first. After a call its return."""
        return self._followed[1]

    @cached_property
    def _followed(self) -> tuple[list[int | None], list[tuple[int, ...]]]:
        heights: list[int | None] = [None] * len(self.code)
        found: list[tuple[int, ...]] = [()] * len(self.code)
        guesses: dict[int, int] = {}
        height: int | None = 0
        is_guess = False
        for index, each in enumerate(self.code):
            if heights[index] is not None:
                height, is_guess = heights[index], False
            elif height is None and each.opcode != JUMPDEST:
                continue
            elif height is None:  # a function begins, or none of the jumps to it are reached
                height, is_guess = guesses.get(index, 0), True
            height = heights[index] = height or 0
            after, grown = self._flow(index, height)
            for label in after:
                if is_guess and each.jump != INTO:
                    guesses.setdefault(label, grown)
                elif heights[label] is None or each.jump == INTO:
                    heights[label] = grown
            if each.opcode not in ENDS and index + 1 < len(self.code):
                after = (index + 1, *after)
            found[index] = after
            height = None if each.opcode in ENDS else grown
        return heights, found

    def _flow(self, index: int, height: int) -> tuple[tuple[int, ...], int]:
        # Behind a call of an internal function, its arguments are off the stack, as are the target,
        # the place to return to and, if there is a result, where to put it.
        each = self.code[index]
        target = self.pushed(index - 1) if each.opcode in {JUMP, JUMPI} else None
        if each.opcode != JUMP or each.jump != INTO:
            return () if target is None else (target,), height + GROWTH.get(each.opcode, 0)
        called = None if target is None else self._function_at(self.code[target].offset)
        label = index + 1
        returns = target is not None and label < len(self.code)
        returns = returns and self.code[label].opcode == JUMPDEST
        return (label,) if returns else (), height - (3 if called and called[1] else 2)

    def called(self, index: int) -> str:
        """The name of the internal function that an instruction jumps into; empty if none."""
        target = self.pushed(index - 1) if self.code[index].jump == INTO else None
        found = None if target is None else self._function_at(self.code[target].offset)
        return found[0] if found else ""


class FileCode:
    """What is known of each instruction of some code by the ranges of one source, by its id."""

    def __init__(self, whole: VyperCode, number: int) -> None:
        source = whole.files[number]
        self.whole = whole
        self.code = whole.code
        self.source = source
        self.spans: list[Span | None] = [
            # The choice of a function ends with a push that has the range of the fallback.
            None
            if each.source != number
            or (each.offset in whole.targets and source.is_fallback(each.span))
            else each.span
            for each in self.code
        ]
        self.owners = [None if span is None else source.owner(span) for span in self.spans]

    @cached_property
    def owned(self) -> dict[int, list[int]]:
        """The instructions of each statement."""
        found: dict[int, list[int]] = defaultdict(list)
        for index, owner in enumerate(self.owners):
            if owner is not None:
                found[owner].append(index)
        return found

    @property
    def internal_functions(self) -> list[Function]:
        """The internal functions of all sources."""
        files = self.whole.files.values()
        return [each for file in files for each in file.functions.values() if each.is_internal]

    def may_have_code(self, function: Function) -> bool:
        """Whether a function without instructions of its own may have code: with Venom.

        That inlines internal functions, if others name them.
        """
        if self.whole.is_in_order or not self.whole.code:
            return False
        name = re.compile(rf"(?<!def )\b{re.escape(function.own_name)}\b")
        texts = (each.text for each in self.whole.files.values())
        return not function.is_internal or any(name.search(text) for text in texts)

    def within(self, span: Span) -> list[int]:
        """The instructions that have a range in that one."""
        start, end = span
        return [
            index
            for index, each in enumerate(self.spans)
            if each and start <= each[0] and each[1] <= end
        ]

    def variable(self, index: int) -> str:
        """The variable of whose uses an instruction has the range of one."""
        span = self.spans[index]
        return self.source.text_at(span) if span and self.source.is_variable(span) else ""

    def jump_statement(self, index: int) -> int | None:
        """The statement that only is the jump at an instruction; None if it is of another one.

        Optimizers redirect jumps, so that those of others lead there or its own one is gone.
        """
        span = self.spans[index]
        if span is None or self.code[index].opcode != JUMP or self.whole.is_optimized:
            return None
        return self.source.find_owner(span) if self.source.text_at(span) in ONLY_JUMPS else None
