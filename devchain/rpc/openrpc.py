"""The OpenRPC document of the enabled methods, the result of `rpc.discover`."""

from __future__ import annotations

import re
from typing import Any

from devchain.rpc import object_decoders, schemas
from devchain.rpc.enabled_methods import EnabledMethods
from devchain.rpc.errors import MEANINGS
from devchain.rpc.json_codec import Number
from devchain.rpc.method import Method
from devchain.rpc.wire_types import wire_type

COMPONENTS = schemas.COMPONENTS | object_decoders.COMPONENTS
ERROR_CODE = re.compile(r"-3\d{4}\b")
OPENRPC_VERSION = "1.3.2"
REFERENCE = re.compile(r"#/components/schemas/(\w+)")


def document(enabled: EnabledMethods, version: str) -> dict[str, Any]:
    methods = [_method(method) for method in enabled.by_name.values()]
    return {
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": "devchain",
            "version": version,
            "description": "A local Rootstock chain for tests and development.",
        },
        "methods": methods,
        "components": {
            "schemas": {name: COMPONENTS[name] for name in sorted(_components(methods))}
        },
    }


def _method(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "tags": [{"name": method.chapter}],
        "summary": method.summary,
        "description": method.documentation,
        "paramStructure": "by-position",
        "params": [
            {
                "name": parameter.name,
                "required": index < method.required,
                "schema": wire_type(parameter.hint).schema,
            }
            for index, parameter in enumerate(method.parameters)
        ],
        "result": {"name": "result", "schema": wire_type(method.returns).result_schema},
        "errors": [
            {"code": Number(code), "message": MEANINGS[code]} for code in error_codes(method)
        ],
    }


def error_codes(method: Method) -> list[int]:
    """The codes of errors that a method's documentation names, highest first, and -32602."""
    codes = {-32602, *map(int, ERROR_CODE.findall(method.documentation))}
    if not method.hosted_pending:
        codes.add(-32201)
    if method.subscribes:
        codes.add(-32601)
    return sorted(codes, reverse=True)


def _components(part: object) -> set[str]:
    components: set[str] = set()
    new = set(REFERENCE.findall(repr(part)))
    while new:
        components |= new
        new = set(REFERENCE.findall(repr([COMPONENTS[name] for name in new]))) - components
    return components
