"""The fast engine: bytecode compiled to Python functions, under py-evm's rules.

It replaces py-evm's interpreter loop and changes no result, to the last unit of gas. In the order
of execution:

- `computation`: executes a message; gets the program of the code from a cache
- `program`: counts how often each block runs, interprets it at first, compiles it when hot
- `region`: follows the code from a hot block and writes one Python function for all paths
- `emitters`, `arithmetic`: the Python that each opcode is compiled to
- `codegen`: the text of the function, and the symbolic stack, memory and gas along a path
- `instructions`: decoding, and what each opcode of a hardfork's table does
- `runtime`: the functions that compiled code calls
"""

from __future__ import annotations

from typing import Any

from devchain.evm.compiler.computation import fast_state
from devchain.evm.compiler.program import HOT, ProgramCache
from devchain.evm.rules import Rules


def fast_vm(vm_class: Any) -> Any:
    """A VM class with the same rules, executed by the fast engine."""
    fast = fast_state(vm_class.get_state_class())
    return vm_class.configure(__name__=vm_class.__name__, _state_class=fast)


def with_own_programs(rules: Rules, hot: int = HOT) -> tuple[Rules, ProgramCache]:
    """The same rules with programs that nothing else runs, so that their counts are of this use.

    A block is compiled at its `hot`th run. Instructions are not counted for coverage.
    """
    computation = rules.vm_class.get_state_class().computation_class
    computation = getattr(computation, "engine", computation)
    opcodes, opcode_rules = computation.opcodes, computation.opcode_rules
    programs = ProgramCache(opcodes, opcode_rules, hot, shares_regions=False)
    own = type(computation.__name__, (computation,), {"programs": programs})
    return rules.with_state(computation_class=own), programs
