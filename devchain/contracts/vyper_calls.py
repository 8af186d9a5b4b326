"""Expressions and internal functions of a contract of Vyper, by a function added to its source.

`vault.eval("self.total")` and `vault.internal._fee(10)` compile the source with that function, and
call it in place of the contract's code. What it changes is lost.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from devchain.contracts.abi_decoder import Values
from devchain.contracts.artifacts import Artifact
from devchain.contracts.compile import compile_unit, run_unit
from devchain.contracts.compiler_input import Unit, read_unit
from devchain.contracts.outline import Function
from devchain.contracts.source_parser import outlines
from devchain.contracts.sources import text_of
from devchain.errors import CompilationFailed, InvalidInput
from devchain.text import known_names, plural, printable
from devchain.types import StateOverride, TransactionRequest, address_of

ADDED = "devchain_added"  # the name of the function


def evaluate(contract: Any, expression: str) -> Any:
    """The value of an expression; raises `CompilationFailed` for one that does not compile."""
    unit, _ = _added(contract, f"():\n    a: Bytes[65536] = abi_encode({expression})")
    settings = {"outputSelection": {unit.name: ["annotated_ast"]}}
    try:
        written = run_unit(unit, hardfork=contract.chain.artifacts.hardfork, settings=settings)
    except CompilationFailed as error:
        _, _, lines = str(error).partition("\n")
        if not lines:  # the compiler is missing
            raise
        # The first line names the whole source.
        raise CompilationFailed(f"{printable(expression)} does not compile\n{lines}") from None
    tree = written["output"]["sources"][unit.name]["annotated_ast"]["body"][-1]
    kind = _type_text(tree["body"][0]["value"]["args"][0]["type"])
    return _call(contract, f"() -> {kind}:\n    return {expression}")


class InternalFunctions:
    """The internal functions of a contract's source, as functions of Python."""

    __slots__ = ("__contract", "__functions")

    def __init__(self, contract: Any) -> None:
        """Find the functions; raises `InvalidInput` without the source."""
        (outline,) = outlines({0: _source(contract)[1]}, is_vyper=True).values()
        self.__functions = {each.name: each for each in outline.functions if each.is_internal}
        self.__contract = contract

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """The function with that name; raises `AttributeError`, which names the one meant."""
        __tracebackhide__ = True
        if name.startswith(("__", "_InternalFunctions__")):  # by copy and pickle
            raise AttributeError(name)
        if name in self.__functions:
            return partial(_internal, self.__contract, self.__functions[name])
        hint = known_names(name, self.__functions)
        text = f"{self.__contract.name} has no internal function {name}: {hint}"
        raise AttributeError(printable(text))

    def __dir__(self) -> list[str]:
        return sorted(self.__functions)

    def __repr__(self) -> str:
        names = ", ".join(self.__functions)
        return printable(f"<internal functions of {self.__contract.name}: {names}>")


def _internal(contract: Any, function: Function, *arguments: object, **options: Any) -> Any:
    text, count = _source(contract)[1][function.span[0] : function.body[0]], len(arguments)
    header: Any = ast.parse(f"{text}pass").body[0]  # it has the syntax of Python
    parameters, defaults = header.args.args, header.args.defaults
    described = f"{function.name}({ast.unparse(header.args)})"
    if options.keys() - {"sender"}:
        raise InvalidInput(f"{described}: give arguments by position; the one option is sender")
    if not len(parameters) - len(defaults) <= count <= len(parameters):
        raise InvalidInput(f"{described} cannot be called with {plural(count, 'argument')}")
    declared = ", ".join(map(ast.unparse, parameters[:count]))
    call = f"self.{function.name}({', '.join(each.arg for each in parameters[:count])})"
    body = f"({declared}):\n    {call}"
    if header.returns:
        body = f"({declared}) -> {ast.unparse(header.returns)}:\n    return {call}"
    return _call(contract, body, *arguments, name=function.name, **options)


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


def _call(
    contract: Any, body: str, *arguments: object, sender: Any = None, name: str = ADDED
) -> Any:
    (unit, size), chain = _added(contract, body), contract.chain
    compiled = compile_unit(unit, hardfork=chain.artifacts.hardfork)
    (changed,) = (each for each in compiled if each.source == unit.name)
    (entry,) = changed.abi.functions_named(ADDED)
    where = address_of(contract.address)
    immutables = chain.state_at(contract.block).code(where)[size:]
    override = {where: StateOverride(code=changed.runtime.template + immutables)}
    by = address_of(sender or contract.sender or where)
    call_data = entry.selector + replace(entry, name=name).encode(arguments)
    request = TransactionRequest(by, where, data=call_data)
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
