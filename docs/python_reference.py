"""The reference part of `python.md`: classes with their members, and errors, from docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import FunctionType
from typing import Any

import devchain
from devchain import errors
from devchain.client import http, web3
from devchain.contracts import abi_decoder, contract
from devchain.node import core, python_api
from devchain.node.funded_account import FundedAccount
from devchain.types import AddressBytes, Tag

CLASSES: tuple[tuple[str, type], ...] = (
    ("`devchain.Node`", python_api.Node),
    ("`node.at(block)`", python_api.BlockState),
    ("`node.impersonate(address)`", python_api.Impersonation),
    ("A contract", contract.Contract),
    ("`token.contract`", contract.ContractApi),
    ("A function: `token.transfer`", contract.Function),
    ("A mined transaction", contract.Mined),
    ("An event", contract.Event),
    ("Several values, and structs", abi_decoder.Values),
    ("An account", FundedAccount),
    ("An address", AddressBytes),
    ("`devchain.reverts`", devchain.reverts),
    ("`devchain.expect_emit`", devchain.expect_emit),
    ("A client", http.Client),
)
"""Each class with its title."""

FUNCTIONS = (
    ("devchain", devchain.load),
    ("devchain", devchain.loads),
    ("devchain", devchain.connect),
    ("devchain.web3", web3.provider),
    ("devchain.web3", web3.async_provider),
)
"""Functions with the module that a program imports them from."""

JSON_RPC_ONLY = (errors.InvalidParams, errors.SimulationRefused)
"""Roots of errors that only JSON-RPC raises."""


def python_reference() -> str:
    """The reference as Markdown."""
    classes = (_class(title, kind) for title, kind in CLASSES)
    return "\n".join([*classes, _functions(), _errors()])


def _class(title: str, kind: type) -> str:
    rows = list(_members(vars(kind)))
    if kind is contract.Contract:
        rows += _members(vars(contract.ContractBase))
    if kind is python_api.Node:
        of_core = vars(core.NodeCore).items()
        rows += _members({name: each for name, each in of_core if name in python_api.OF_CORE})
    return "\n".join([f"### {title}", "", _text(kind), "", *rows, *([""] if rows else [])])


def _members(members: Mapping[str, Any]) -> Iterator[str]:
    """A row for each public member, in the order of its definition."""
    for name, member in members.items():
        if name.startswith("_"):
            continue
        if isinstance(member, property | cached_property):
            yield _row(name, member)
            continue
        found = inspect.unwrap(getattr(member, "__func__", member))
        if isinstance(found, FunctionType):
            yield _row(name + _signature(found), found)
        elif isinstance(member, staticmethod):
            yield _row(f"{name}(...)", found)


def _row(shown: str, described: Any) -> str:
    return f"- `{shown}`: {_summary(described)}"


def _signature(function: FunctionType) -> str:
    """The parameters without `self`, with defaults."""
    found = inspect.signature(function)
    parts: list[str] = []
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in "".join(part[:1] for part in parts):
            parts.append("*")
        if each.name != "self":
            default = "" if each.default is each.empty else f"={_literal(each.default)}"
            prefix = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
            parts.append(f"{prefix}{each.name}{default}")
    return f"({', '.join(parts)})"


def _literal(value: object) -> str:
    return repr(value.value if isinstance(value, Tag) else value)


def _summary(described: Any) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(described) or "").partition("\n")[0]


def _text(described: Any) -> str:
    """A docstring as Markdown: blocks of code after `::` in fences."""
    lines, is_code = [], False
    for line in (inspect.getdoc(described) or "").splitlines():
        if is_code and line and not line.startswith("    "):
            lines[-1:] = ["```", ""]
            is_code = False
        lines.append(line.removeprefix("    ") if is_code else line)
        if line.endswith("::"):
            lines[-1:] = [line[:-1], "", "```py"]
            is_code = True
    text = "\n".join([*lines, "```"] if is_code else lines)
    return re.sub(r"```py\n\n+", "```py\n", text)


def _functions() -> str:
    rows = [_row(f"{where}.{each.__name__}{_signature(each)}", each) for where, each in FUNCTIONS]
    return "\n".join(["### Functions", "", *rows, ""])


def _errors() -> str:
    """The tree of errors as a list; attributes are in the docstrings of the classes."""
    lines = ["### Errors: `devchain.errors`", ""]
    return "\n".join([*lines, *_error_lines(errors.DevchainError, 0), ""])


def _error_lines(kind: type, depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}- `{kind.__name__}`: {_summary(kind)}"
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__ and each not in JSON_RPC_ONLY:
            yield from _error_lines(each, depth + 1)
