"""The service described for programs: an OpenRPC document made from the catalog."""

from __future__ import annotations

import re
from typing import Any

from devchain.errors import PendingUnsupported
from devchain.rpc.codec import Number
from devchain.rpc.enabled_methods import Offer
from devchain.rpc.errors import CODES, InvalidParams
from devchain.rpc.method import Method, Parameter
from devchain.rpc.schema_table import answered, given
from devchain.rpc.schemas import COMPONENTS

OPENRPC = "1.3.2"
CODE = re.compile(r"-3\d{4}")
REFERENCE = re.compile(r"#/components/schemas/(\w+)")
MEANINGS = {
    -32602: "the parameters do not fit the method",
    -32000: "not found, not available, or not possible",
    -32010: "the transaction is refused",
    -32012: "more than a limit of this node lets through",
    -32015: "the execution reverted or failed",
    -32201: "`pending` is not taken by the hosted service",
    -32601: "not offered here",
    -33000: "the work is refused",
}


def document(offer: Offer, version: str) -> dict[str, Any]:
    """What `rpc.discover` answers: every method offered, with schemas of what goes in and out."""
    methods = [_method(each) for each in offer.methods()]
    return {
        "openrpc": OPENRPC,
        "info": {
            "title": "devchain",
            "version": version,
            "description": "A local Rootstock chain for tests and development.",
        },
        "methods": methods,
        "components": {"schemas": {name: COMPONENTS[name] for name in sorted(_used(methods))}},
    }


def _method(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "tags": [{"name": method.chapter}],
        "summary": method.summary,
        "description": method.documentation,
        "paramStructure": "by-position",
        "params": [_parameter(each) for each in method.parameters],
        "result": {"name": "result", "schema": answered(method.returns)},
        "errors": [{"code": Number(each), "message": MEANINGS[each]} for each in codes_of(method)],
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "required": not parameter.is_optional,
        "schema": given(parameter.hint),
    }


def codes_of(method: Method) -> list[int]:
    """The error codes that a method's text names, and those that its kind implies."""
    named = {int(code) for code in CODE.findall(method.documentation)}
    implied = {CODES[InvalidParams]}
    if not method.hosted_pending:
        implied.add(CODES[PendingUnsupported])
    return sorted((named | implied) & set(MEANINGS), reverse=True)


def _used(part: object) -> set[str]:
    """The components that a part of the document refers to, and those that these refer to."""
    used: set[str] = set()
    fresh = set(REFERENCE.findall(repr(part)))
    while fresh:
        used |= fresh
        fresh = set(REFERENCE.findall(repr([COMPONENTS[name] for name in fresh]))) - used
    return used
