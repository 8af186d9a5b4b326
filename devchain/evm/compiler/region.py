"""Regions: bytecode compiled to one Python function, all paths from one offset that run often.

A region starts at one offset and follows the code: through jumps to constant destinations, into
both arms of a branch, and back to its start if it is a loop. Code that two paths share is written
for each. A path leaves the region at an offset that has rarely run, at the start of another loop,
and where the region would grow too large; the function writes the stack back and returns the
offset.

A loop that counts down from the word on the stack, `JUMPDEST 1 SWAP1 SUB DUP1 0 JUMPI STOP`:

    >>> compiled("JUMPDEST 1 SWAP1 SUB DUP1 0 JUMPI STOP")
    def region(c, stack, meter):
     base = len(stack) - 1
     if base < 0 or base > 1021: return -2
     a1, = stack[base:]
     mem = c._memory._bytes
     size = len(mem)
     gas = meter.gas_remaining
     next_check = gas - CHECK_EVERY if gas > CHECK_EVERY else 0
     while True:
      t1 = a1 - 1
      t2 = (t1 & 0xff...ff)
      if t2:
       gas -= 26
       if gas < next_check: next_check = check_limits(gas)
       a1 = t2
       continue
      gas -= 26
      if gas < next_check: next_check = check_limits(gas)
      meter.gas_remaining = gas
      return HALTED

`c` is the py-evm computation, `stack` the list of its stack, `meter` its gas meter. The function
returns where to go on: an offset; HALTED (-1); or, for an offset at which the interpreter has to
execute an opcode that the compiler does not know, -2 minus the offset.
"""

from __future__ import annotations

from typing import Any

from devchain.evm.bounded import opcode_object
from devchain.evm.compiler.codegen import FunctionText, Path, Value, variable
from devchain.evm.compiler.emitters import EMITTERS, GUARDED, HALTING
from devchain.evm.compiler.instructions import Instruction, instruction_at
from devchain.evm.opcodes import OPCODES, Kind, Op

MAX_INSTRUCTIONS = 1_500  # instructions a region may have; those written twice count twice
MAX_VISITS = 16  # of a path to one block, in calls of a function or in a recursion
MAX_BRANCH_DEPTH = 30  # branches inside branches
RARE = 16  # code after a JUMPI is in the `if` if it runs so many times less often than the jump


class Region:
    """A region of a `Program`, compiled on creation: `text` is its function, `size` its length.

    `exits` are the offsets where it ends because what follows has rarely run, `blocks` those of the
    blocks after the first that it contains.
    """

    def __init__(self, program: Any, start: int) -> None:
        self.text = FunctionText(varying=program.varying)
        self.is_loop = False
        self.size = 0
        self.exits: set[int] = set()
        self.blocks: set[int] = set()
        self._program = program
        self._start = start
        path = Path(self.text, instruction_at(program.code, start))
        path.visited[start] = ((0, ()),)
        self._follow(self._compile_block(start, path), path)

    def python(self) -> str:
        return self.text.python(start=self._start, is_loop=self.is_loop)

    def _follow(self, pc: int | None, path: Path) -> None:
        while pc is not None:
            if pc == self._start and path.height == 0:
                self._repeat(path)
                return
            if not self._enter(pc, path):
                path.leave(pc)
                return
            pc = self._compile_block(pc, path)

    def _enter(self, pc: int, path: Path) -> bool:
        program = self._program
        if program.counts.get(pc, 0) < program.usual:
            self.exits.add(pc)
            return False
        if pc in program.loops:
            return False
        if self.size > MAX_INSTRUCTIONS or path.indent > MAX_BRANCH_DEPTH:
            return False
        # The same place on the stack is another turn of a loop; another return address is another
        # call of a function.
        destinations, bottom = program.destinations, -path.depth
        returns = tuple(
            [
                (position, word.constant)
                for position, word in enumerate(path.words, bottom)
                if word.constant in destinations
            ]
        )
        place, places = (path.height, returns), path.visited.get(pc, ())
        if place in places or len(places) == MAX_VISITS:
            return False
        path.visited[pc] = (*places, place)
        self.blocks.add(pc)
        return True

    def _repeat(self, path: Path) -> None:
        self.is_loop = True
        path.settle_gas()
        places = range(path.depth, 0, -1)
        changed = [
            (f"a{place}", path.refined(word).code)
            for place, word in zip(places, path.words, strict=True)
            if word.code != f"a{place}"
        ]
        path.repeat(changed)

    def _compile_block(self, pc: int, path: Path) -> int | None:
        code, operations = self._program.code, self._program.operations
        while True:
            self.size += 1
            path.instruction = at = instruction_at(code, pc)
            operation = operations.get(at.opcode)
            if operation is None:
                if not self._call_opcode(at, path):
                    return None
            else:
                name = operation.name
                if name in GUARDED:
                    path.note_exit()
                path.gas += operation.gas
                if name == "jump":
                    return self._jump(path.pop_simple(), path)
                if name == "jumpi":
                    return self._jump_if(at, path)
                EMITTERS[name](path, operation)
                if name in HALTING:
                    return None
            pc = at.next_pc
            if code[pc : pc + 1] == _JUMPDEST:
                return pc
            if self.size > MAX_INSTRUCTIONS:
                path.leave(pc)
                return None

    def _call_opcode(self, at: Instruction, path: Path) -> bool:
        """Have py-evm's function execute an opcode; False if the region ends before it.

        >>> emitted("BALANCE")
        a1, = stack[base:]
        stack[base:] = [a1]
        meter.gas_remaining = gas
        c.code.program_counter = 1
        g0(computation=c)
        gas = meter.gas_remaining; size = len(mem)
        t1 = stack[-1]
        return [t1], gas
        """
        entry = self._program.opcodes.get(at.opcode)
        arity = getattr(opcode_object(entry), "arity", None)
        known = OPCODES.get(at.opcode)
        if arity is None and known is not None and known.kind is not Kind.HALT:
            arity = known.pops, known.pushes
        if entry is None or arity is None:
            path.leave(-2 - at.pc)
            return False
        path.settle_gas()
        pops, pushes = arity
        path.require_words(pops)
        path.words = [path.evaluate(word) for word in path.words]
        path.write_back()
        path.add_line(f"c.code.program_counter = {at.pc + 1}")
        path.add_line(f"{self.text.bind_object(entry)}(computation=c)")
        path.add_line("gas = meter.gas_remaining; size = len(mem)")
        path.forget_memory()
        del path.words[len(path.words) - pops :]
        if pushes:
            name = self.text.new_variable()
            path.add_line(f"{name} = stack[-1]")
            path.push(variable(name))
        return True

    def _jump(self, to: Value, path: Path) -> int | None:
        # Goes on at a constant destination, or returns one that is known at run time.
        if to.constant is not None and to.constant in self._program.destinations:
            return to.constant
        path.settle_gas()
        if to.constant is None:
            path.add_line(f"if {to.code} in destinations:")
            inside = path.branch()
            inside.leave(to.code)
        path.add_line(f"raise jump_error(code, {to.code})")
        return None

    def _jump_if(self, at: Instruction, path: Path) -> int | None:
        """JUMPI: the jump in an `if`, or what follows it if that has run far less often.

        >>> emitted("CALLVALUE 5 JUMPI STOP JUMPDEST 7")
        if c.msg.value:
         return leave(stack, base, [7], meter, gas - 19, 8)
        gas -= 15
        meter.gas_remaining = gas
        return HALTED
        """
        to, when = path.pop_simple(), path.reduce(path.pop())
        if when.constant is not None:
            return self._jump(to, path) if when.constant else at.next_pc
        counts = self._program.counts
        taken = counts.get(to.constant, 0) if to.constant is not None else 0
        is_rare: bool = counts.get(at.next_pc, 0) * RARE < taken
        path.add_line(f"if not {when.truth}:" if is_rare else f"if {when.truth}:")
        inside = path.branch()
        inside.assume(when, holds=not is_rare)
        path.assume(when, holds=is_rare)
        if is_rare:
            self._follow(at.next_pc, inside)
            return self._jump(to, path)
        self._follow(self._jump(to, inside), inside)
        return at.next_pc


_JUMPDEST = bytes([Op.JUMPDEST])
