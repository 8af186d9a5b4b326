"""The method reference as Markdown, made from the catalog."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from devchain.rpc.catalog import CHAPTERS, DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.codec import Number
from devchain.rpc.decoders import Amount, JsonMap, Loose, Milliseconds, Percentile, TypedData
from devchain.rpc.method import Method, Parameter
from devchain.rpc.objects import (
    BlockObject,
    LogObject,
    ProofObject,
    ReceiptObject,
    TransactionObject,
)
from devchain.tracing.options import TraceOptions, TraceQuery
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    StateOverrides,
    TransactionRequest,
)

WIRE_NAMES: dict[Any, str] = {
    int: "QUANTITY",
    bytes: "DATA",
    bool: "boolean",
    str: "string",
    Amount: "QUANTITY, integer or decimal text",
    Milliseconds: "QUANTITY, integer or decimal text; or a pair of them",
    JsonMap: "object",
    Percentile: "number from 0 to 100",
    TypedData: "EIP-712 object, or its JSON text",
    PlacedTransaction: "[transaction, new block] pair",
    Loose: "QUANTITY, integer or decimal text",
    Address: "DATA, 20 bytes",
    Hash32: "DATA, 32 bytes",
    BlockRef: "block number, tag, hash or map",
    TransactionRequest: "call object",
    StateOverrides: "state override set",
    BlockOverride: "block override object",
    LogQuery: "log filter object",
    MineRequest: "timestamp or {blocks, timestamp}",
    TraceOptions: "trace options",
    TraceQuery: "trace filter object",
    Number: "number",
    types.NoneType: "null",
    BlockObject: "block object",
    TransactionObject: "transaction object",
    ReceiptObject: "receipt object",
    LogObject: "log object",
    ProofObject: "account proof",
}

INTRODUCTION = """\
# Methods

Every JSON-RPC method devchain answers. Parameters are positional; `?` marks those that may be
left out. QUANTITY is a number as 0x hex, DATA bytes as 0x hex. This page is made from the code by
`make docs`. A node answers all of them unless `--methods`, `--no-methods` or `--hosted` close some:
`rpc_modules` and `devchain methods` tell. `rpc.discover` has all of this for programs.

Examples show the parameters and then the result; long values are cut. Every method that gets wrong
parameters answers error -32602 with a sentence that names them.
"""


def render(examples: Mapping[str, str]) -> str:
    """The whole reference; `examples` is what to add, in Markdown, to the methods by name."""
    chapters = (_chapter(title, examples) for title in CHAPTERS)
    refused = _refused(UNSUPPORTED | DEPRECATED)
    return "\n".join([INTRODUCTION, *chapters, refused])


def _chapter(title: str, examples: Mapping[str, str]) -> str:
    listed = [each for each in METHODS.values() if each.chapter == title and not each.is_alias]
    return "\n".join([f"## {title}\n", *(_method(each, examples) for each in listed)])


def _method(method: Method, examples: Mapping[str, str]) -> str:
    lines = [f"### `{method.name}({method.signature})`\n", method.documentation, ""]
    lines.extend(_parameter(each) for each in method.parameters)
    lines.append(f"- result: {wire_name(method.returns)}")
    if len(method.names) > 1:
        lines.append("- also called " + ", ".join(f"`{each}`" for each in method.names[1:]))
    if method.hosted:
        lines.append("- also offered with `--hosted`" + _except_pending(method))
    if examples.get(method.name):
        lines.append(examples[method.name])
    return "\n".join([*lines, ""])


def _except_pending(method: Method) -> str:
    return "" if method.hosted_pending else ", where `pending` is refused (-32201)"


def _parameter(parameter: Parameter) -> str:
    optional = ", optional" if parameter.is_optional else ""
    return f"- `{parameter.name}`: {wire_name(parameter.hint)}{optional}"


def wire_name(hint: Any) -> str:
    """What a type hint is called on the wire."""
    if hint in WIRE_NAMES:
        return WIRE_NAMES[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType or origin is typing.Union:
        return _either(arguments)
    if origin is list:
        return f"array of {wire_name(arguments[0])}"
    return "object" if origin is dict else "any"


def _either(arguments: Iterable[Any]) -> str:
    """An optional parameter's hint without its None; a result keeps its null."""
    parts = list(arguments)
    named = [each for each in parts if each is not types.NoneType]
    if set(typing.get_args(BlockRef)) <= set(named):
        named = [BlockRef]
    shown = [wire_name(each) for each in named]
    return " or ".join([*shown, *(["null"] if types.NoneType in parts else [])])


def _refused(reasons: dict[str, str]) -> str:
    rows = [f"| `{name}` | {reason} |" for name, reason in reasons.items()]
    head = ["## Not supported\n", "| method | why, and what to use instead |", "| --- | --- |"]
    return "\n".join([*head, *rows, ""])
