"""Expressions and internal functions of a contract of Vyper, by a function added to its source.

`vault.eval("self.total")` and `vault.internal._fee(10)` compile the source with that function, and
call it in place of the contract's code. What it changes is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from devchain.contracts.abi_decoder import Values
from devchain.contracts.artifacts import Artifact
from devchain.contracts.compile import compile_unit, run_unit
from devchain.contracts.compiler_input import Unit, read_unit
from devchain.contracts.outline import Function
from devchain.contracts.source_parser import outlines
from devchain.contracts.sources import text_of
from devchain.errors import InvalidInput
from devchain.text import printable
from devchain.types import StateOverride, TransactionRequest, address_of

ADDED = "devchain_added"  # the name of the function
RETURNED = re.compile(r"\)\s*->\s*(.*?)\s*:\s*(?:#[^\n]*)?\s*\Z", re.DOTALL)


def evaluate(contract: Any, expression: str) -> Any:
    """The value of an expression; raises `CompilationFailed` for one that does not compile."""
    unit, _ = _added(contract, f"():\n    a: Bytes[65536] = abi_encode({expression})")
    settings = {"outputSelection": {unit.name: ["annotated_ast"]}}
    written = run_unit(unit, hardfork=contract.chain.artifacts.hardfork, settings=settings)
    tree = written["output"]["sources"][unit.name]["annotated_ast"]["body"][-1]
    kind = _type_text(tree["body"][0]["value"]["args"][0]["type"])
    return _call(contract, f"() -> {kind}:\n    return {expression}")


def internal_functions(contract: Any) -> SimpleNamespace:
    """The internal functions of the contract's source, as functions of Python."""
    (outline,) = outlines({0: _source(contract)[1]}, is_vyper=True).values()
    functions = [each for each in outline.functions if each.is_internal]
    return SimpleNamespace(**{each.name: partial(_internal, contract, each) for each in functions})


def _internal(contract: Any, function: Function, *arguments: object, sender: Any = None) -> Any:
    used = function.parameters[: len(arguments)]  # others have defaults
    header = RETURNED.search(_source(contract)[1][function.span[0] : function.body[0]])
    returned, does = (f" -> {header[1]}", "return ") if header else ("", "")
    declared = ", ".join(f"{each.name}: {each.kind}" for each in used)
    call = f"{does}self.{function.name}({', '.join(each.name for each in used)})"
    return _call(contract, f"({declared}){returned}:\n    {call}", *arguments, sender=sender)


def _source(contract: Any) -> tuple[Artifact, str]:
    for artifact in contract.chain.artifacts_at(address_of(contract.address)):
        own = (each for each in artifact.sources.values() if each.path == artifact.source)
        text = "".join(text_of(each, artifact) for each in own)
        if artifact.language == "Vyper" and text:
            return artifact, text
    raise InvalidInput(printable(f"{contract.name} has no source in Vyper that is known here"))


def _added(contract: Any, body: str) -> tuple[Unit, int]:
    artifact, text = _source(contract)
    added = f"{text}\n\n@external\n@payable\ndef {ADDED}{body}\n"
    unit = read_unit(Path(artifact.project), artifact.source, added)
    return unit, len(artifact.runtime.template)


def _call(contract: Any, body: str, *arguments: object, sender: Any = None) -> Any:
    (unit, size), chain = _added(contract, body), contract.chain
    compiled = compile_unit(unit, hardfork=chain.artifacts.hardfork)
    (changed,) = (each for each in compiled if each.source == unit.name)
    (entry,) = changed.abi.functions_named(ADDED)
    where = address_of(contract.address)
    immutables = chain.state_at(contract.block).code(where)[size:]
    override = {where: StateOverride(code=changed.runtime.template + immutables)}
    by = address_of(sender or contract.sender or where)
    request = TransactionRequest(by, where, data=entry.selector + entry.encode(arguments))
    values = entry.decode_output(chain.call(request, contract.block, override)) or ()
    return values[0] if len(values) == 1 else Values(values, entry.outputs) if values else None


def _type_text(described: Mapping[str, Any]) -> str:
    # As sources have it, of a type in vyper's syntax tree.
    name, length = Path(str(described["name"])).stem, described.get("length")
    match described.get("typeclass"):
        case "dynamic_array":
            return f"DynArray[{_type_text(described['value_type'])}, {length}]"
        case "static_array":
            return f"{_type_text(described['value_type'])}[{length}]"
    return "address" if name == "self" else f"{name}[{length}]" if length else name
