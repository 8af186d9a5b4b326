"""Outlines by the syntax trees of solc and vyper: those read from the texts have to be the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from devchain.contracts.outline import (
    ContractRange,
    Function,
    Local,
    Outline,
    Parameter,
    Span,
    Statement,
    Variable,
)
from devchain.contracts.source_parser import make_outline

SIMPLE = frozenset(
    {
        # Solidity
        *("Break", "Continue", "EmitStatement", "ExpressionStatement", "Return"),
        *("RevertStatement", "Throw", "VariableDeclarationStatement"),
        # inline assembly
        *("YulAssignment", "YulBreak", "YulContinue", "YulExpressionStatement", "YulLeave"),
        "YulVariableDeclaration",
        # Vyper, which has some names in common with Solidity
        *("AnnAssign", "Assert", "Assign", "AugAssign", "Expr", "Log", "Pass", "Raise"),
    }
)
"""Statements that contain no other statements."""

OWN_PARTS = {
    "IfStatement": ("condition",),
    "ForStatement": ("condition",),
    "WhileStatement": ("condition",),
    "DoWhileStatement": ("condition",),
    "TryStatement": ("externalCall",),
    "YulIf": ("condition",),
    "YulForLoop": ("condition",),
    "YulSwitch": ("expression",),
    "If": ("test",),
    "For": ("iter",),
}
"""Statements that contain others, and the parts of them that are their own."""

NOT_EXECUTED = frozenset(
    {"arguments", "DocStr", "InterfaceDef", "EventDef", "StructDef", "EnumDef", "FlagDef"}
)
"""Nodes of Vyper's trees that contain no statements of the contract."""

LOCATIONS = frozenset({"memory", "calldata", "storage"})
"""Data locations of parameters that are not values."""

BLOCKS = frozenset({"Block", "UncheckedBlock", "ForStatement", "TryCatchClause"})
"""Nodes of solc's trees at whose end the variables declared in them are gone."""

TYPES_AND_TARGETS = frozenset({"typeName", "declarations", "target", "annotation", "parameters"})
"""Parts of nodes in which no local variables are declared, or that declare one themselves."""

MAX_TYPE_DEPTH = 16

LOOP_VARIABLE = ("For", "target")
"""A node to which vyper gives a wrong source range."""


def outline(tree: Any) -> Outline | None:
    if not isinstance(tree, dict) or not ("nodeType" in tree or "ast_type" in tree):
        return None
    statements, functions, variables, contracts = [], [], [], []
    for node, contract in _nodes(tree):
        statement = _statement(node)
        if statement:
            statements.append(statement)
        function = _function(node, contract)
        if function:
            functions.append(function)
        variable = _variable(node, contract)
        if variable:
            variables.append(variable)
        span = span_of(node)
        if span and _kind(node) == "ContractDefinition":
            contracts.append(ContractRange(contract, span, tuple(_bases(node))))
    return make_outline(statements, functions, variables, contracts)


def _bases(node: Mapping[str, Any]) -> Iterator[str]:
    found = node.get("baseContracts")
    for each in found if isinstance(found, list) else ():
        named = each.get("baseName") if isinstance(each, dict) else None
        if isinstance(named, dict):
            yield str(named.get("name", "")).rpartition(".")[2]


def _variable(node: Mapping[str, Any], contract: str) -> Variable | None:
    kind, span = _kind(node), span_of(node)
    if span is None:
        return None
    if kind == "VariableDeclaration" and node.get("stateVariable") is True:
        return Variable(str(node.get("name", "")), contract, span)
    target = node.get("target")
    if kind == "VariableDecl" and isinstance(target, dict):
        return Variable(str(target.get("id", "")), contract, span)
    return None


def _nodes(tree: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    stack: list[tuple[Any, str]] = [(tree, "")]
    while stack:  # trees may be deeper than Python's recursion limit
        node, contract = stack.pop()
        if isinstance(node, list):
            stack.extend((each, contract) for each in node)
        elif isinstance(node, dict):
            kind = _kind(node)
            if kind in NOT_EXECUTED:
                continue
            if kind == "ContractDefinition":
                contract = str(node.get("name", ""))
            if kind:
                yield node, contract
            stack.extend(
                (each, contract)
                for name, each in node.items()
                if isinstance(each, (dict, list)) and (kind, name) != LOOP_VARIABLE
            )


def _kind(node: Mapping[str, Any]) -> str:
    found = node.get("nodeType", node.get("ast_type"))
    return found if isinstance(found, str) else ""


def _statement(node: Mapping[str, Any]) -> Statement | None:
    kind, whole = _kind(node), span_of(node)
    if whole is None:
        return None
    if kind in SIMPLE:
        return None if _is_string(node) else Statement(whole, (whole,))
    if kind in OWN_PARTS:
        parts = (span_of(node.get(part)) for part in OWN_PARTS[kind])
        return Statement(whole, tuple(part for part in parts if part))
    if kind == "VariableDeclaration" and node.get("stateVariable") and not node.get("constant"):
        value = span_of(
            node.get("value")
        )  # the initializer runs in the constructor; the rest is the source of the getter
        return Statement(value, (value,)) if value else None
    return None


def _is_string(node: Mapping[str, Any]) -> bool:
    value = node.get("value")
    return _kind(node) == "Expr" and isinstance(value, dict) and _kind(value) in {"Str", "DocStr"}


def _function(node: Mapping[str, Any], contract: str) -> Function | None:
    kind, span = _kind(node), span_of(node)
    if span is None or kind not in {"FunctionDefinition", "ModifierDefinition", "FunctionDef"}:
        return None
    body = node.get("body")
    if not body:  # abstract
        return None
    kind = "modifier" if kind == "ModifierDefinition" else str(node.get("kind", "function"))
    if node.get("isConstructor") is True:  # solc before 0.5
        kind = "constructor"
    elif "isConstructor" in node and not node.get("name"):
        kind = "fallback"
    name = kind if kind == "constructor" else str(node.get("name") or kind)
    return Function(
        f"{contract}.{name}" if contract else name,
        span,
        kind,
        tuple(_parameters(node)),
        tuple(_modifiers(node)),
        span_of(body) or _range_of(body) or (0, 0),
        tuple(_parameters({"parameters": node.get("returnParameters")})),
        tuple(sorted(_variables(node, span), key=lambda each: (each.since, each.assigned))),
        _is_internal(node),
    )


def _is_internal(node: Mapping[str, Any]) -> bool:
    listed = node.get("decorator_list")
    names = {each.get("id") for each in listed or () if isinstance(each, dict)}
    return _kind(node) == "FunctionDef" and names.isdisjoint({"external", "deploy"})


def _range_of(nodes: Any) -> Span | None:
    spans = [span for node in (nodes if isinstance(nodes, list) else ()) if (span := span_of(node))]
    return (min(spans)[0], max(end for _, end in spans)) if spans else None


def _parameters(node: Mapping[str, Any]) -> Iterator[Parameter]:
    listed = node.get("parameters", node.get("args"))
    if not isinstance(listed, dict):
        return
    found = listed.get("parameters", listed.get("args"))  # of solc and of vyper
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict):
            described = each.get("typeDescriptions") or {}
            kind = described.get("typeString") if isinstance(described, dict) else None
            if kind is None:
                kind = _vyper_type(each.get("annotation"))
            location = str(each.get("storageLocation", ""))
            if location in LOCATIONS and not str(kind).endswith(location):
                kind = f"{kind} {location}"
            yield Parameter(str(each.get("name", each.get("arg", ""))), str(kind or ""))


def _variables(node: Mapping[str, Any], function: Span) -> Iterator[Local]:
    stack: list[tuple[Any, int]] = [(node.get("body"), function[1])]
    while stack:
        each, until = stack.pop()
        if isinstance(each, list):
            stack.extend((item, until) for item in each)
            continue
        span = span_of(each)
        if span is None or not isinstance(each, dict):
            continue
        kind = _kind(each)
        if kind in BLOCKS:
            until = span[1]
        if kind == "VariableDeclarationStatement":
            yield from _declared(each, span[0], span[1], until)
        elif kind == "TryCatchClause" and each.get("parameters"):
            yield Local("", "", span[0], span[0], span[1])
        elif kind in {"AnnAssign", "For"}:
            yield from _vyper_local(each, kind, span, until)
        stack.extend(
            (part, until if own is None else own[1])
            for name, part in each.items()
            if isinstance(part, (dict, list)) and name not in TYPES_AND_TARGETS
            for own in (_range_of(part) if name in {"body", "orelse"} else None,)
        )


def _declared(node: Mapping[str, Any], since: int, assigned: int, until: int) -> Iterator[Local]:
    listed = node.get("declarations")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            [found] = _parameters({"parameters": {"parameters": [each]}})
            yield Local(found.name, found.kind or "?", since, assigned, until)


def _vyper_local(node: Mapping[str, Any], kind: str, span: Span, until: int) -> Iterator[Local]:
    # The variable that a statement of Vyper declares; that of a loop has a type since 0.4.
    target = node.get("target")
    described = target if isinstance(target, dict) else {}
    if kind == "AnnAssign":
        written = _vyper_type(node.get("annotation"))
        yield Local(str(described.get("id", "")), written, span[0], span[1], until)
        return
    body, iterated = _range_of(node.get("body")), node.get("iter")
    called = iterated.get("func") if isinstance(iterated, dict) else None
    is_range = isinstance(called, dict) and called.get("id") == "range"
    named, written = described.get("target", described), _vyper_type(described.get("annotation"))
    is_known = isinstance(named, dict) and (written or is_range)
    if body:
        name = str(named.get("id", "")) if is_known else ""
        yield Local(name, written, body[0] - 1, body[0], body[1])


def _vyper_type(node: Any, depth: int = 0) -> str:
    if not isinstance(node, dict) or depth > MAX_TYPE_DEPTH:
        return ""
    parts: list[str] = []
    match _kind(node):
        case "Name":
            return str(node.get("id", ""))
        case "Int":
            return str(node.get("value", ""))
        case "Index":
            parts = [_vyper_type(node.get("value"), depth + 1)]
        case "Tuple":
            listed = node.get("elements")
            parts = [_vyper_type(each, depth + 1) for each in listed or ()]
        case "Subscript":
            base, size = (_vyper_type(node.get(each), depth + 1) for each in ("value", "slice"))
            parts = [f"{base}[{size}]" if base and size else ""]
    return ", ".join(parts) if all(parts) else ""


def _modifiers(node: Mapping[str, Any]) -> Iterator[tuple[str, Span]]:
    found = node.get("modifiers")
    for each in found if isinstance(found, list) else ():
        span = span_of(each)
        named = each.get("modifierName") if isinstance(each, dict) else None
        if span and isinstance(named, dict):
            yield str(named.get("name", "")), span


def span_of(node: Any) -> Span | None:
    """The source range of a node of a syntax tree; None if it has none."""
    src = node.get("src") if isinstance(node, dict) else None
    if not isinstance(src, str):
        return None
    start, _, rest = src.partition(":")
    size = rest.partition(":")[0]
    if not (_is_number(start) and _is_number(size)):
        return None
    return int(start), int(start) + int(size)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 12
