"""`devchain.rpc.openrpc` and `devchain.rpc.schemas`"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import Simulation
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.enabled_methods import EnabledMethods
from devchain.rpc.errors import CODES, MEANINGS
from devchain.rpc.openrpc import document, error_codes
from devchain.rpc.schemas import ANY
from devchain.rpc.wire_types import wire_type
from tests.wire.exchange import goldens

Draft202012Validator = pytest.importorskip("jsonschema").Draft202012Validator

DOCUMENT = document(EnabledMethods(Config()), "1.2.3")
BY_NAME = {each["name"]: each for each in DOCUMENT["methods"]}

TEXT = {"type": "string", "minLength": 1}
SCHEMA = {"$ref": "https://json-schema.org/draft/2020-12/schema"}


def strict(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object with those members and no others."""
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


CONTENT = strict({"name": TEXT, "schema": SCHEMA}, {"required": {"type": "boolean"}})
SPECIFICATION = strict(
    {
        "openrpc": {"pattern": r"^1\.\d+\.\d+$"},
        "info": strict({"title": TEXT, "version": TEXT}, {"description": TEXT}),
        "methods": {
            "type": "array",
            "items": strict(
                {"name": TEXT, "params": {"type": "array", "items": CONTENT}, "result": CONTENT},
                {
                    "summary": TEXT,
                    "description": TEXT,
                    "tags": {"type": "array", "items": strict({"name": TEXT})},
                    "paramStructure": {"enum": ["by-position", "by-name", "either"]},
                    "errors": {
                        "type": "array",
                        "items": strict({"code": {"type": "integer"}, "message": TEXT}),
                    },
                },
            ),
        },
        "components": strict({"schemas": {"type": "object", "additionalProperties": SCHEMA}}),
    }
)
"""The parts of the OpenRPC specification that the document uses.

`make test-clients` holds the document against OpenRPC's own schema.
"""


def exchanges() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every successful golden call: request and response."""
    for golden in goldens():
        if golden.path.parent.name in BY_NAME:
            for sent, got in golden.pairs:
                request, answer = json.loads(sent), json.loads(got)
                if request["method"] in BY_NAME and "result" in answer:
                    yield request, answer


EXCHANGES = list(exchanges())


def check(schema: dict[str, Any], value: object) -> None:
    """Fail unless a value is valid under a schema of the document."""
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


class TestDocument:
    def test_specification(self, client: LocalClient) -> None:
        """The result is valid under the OpenRPC specification."""
        Draft202012Validator(SPECIFICATION).validate(client.call("rpc.discover"))

    def test_every_method(self) -> None:
        """Every method is in it, with its parameters in order."""
        assert list(BY_NAME) == list(METHODS)
        for name, method in METHODS.items():
            described = [(each["name"], each["required"]) for each in BY_NAME[name]["params"]]
            assert described == [(each.name, not each.is_optional) for each in method.parameters]

    def test_closed(self, node: Node) -> None:
        """Disabled methods and unused schemas are not in it."""
        actual = document(EnabledMethods(Config(methods=("eth_getBalance",))), "1")

        assert [each["name"] for each in actual["methods"]] == ["eth_getBalance"]
        assert list(actual["components"]["schemas"]) == [
            "Address",
            "BlockParameter",
            "GivenQuantity",
            "Hash",
            "Quantity",
            "StateParameter",
            "Tag",
        ]

    def test_references(self) -> None:
        """Every reference has a component, and every component a reference."""
        named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(DOCUMENT)))

        assert named == set(DOCUMENT["components"]["schemas"])


class TestErrorCodes:
    def test_meanings(self) -> None:
        """Every code that a method can answer has a meaning."""
        codes = {code for method in METHODS.values() for code in error_codes(method)}

        assert codes <= set(MEANINGS) <= {*CODES.values(), *Simulation}

    def test_from_documentation(self) -> None:
        """A method has the codes that its documentation names, and those of its kind."""
        assert error_codes(METHODS["eth_sendRawTransaction"]) == [-32010, -32602]
        assert error_codes(METHODS["eth_getCode"]) == [-32201, -32602]
        assert error_codes(METHODS["eth_unsubscribe"]) == [-32601, -32602]


class TestSchemas:
    def test_known(self) -> None:
        """Every parameter has a schema, and all schemas are valid."""
        hints = {parameter.hint for method in METHODS.values() for parameter in method.parameters}
        schemas = [wire_type(hint).schema for hint in hints]
        schemas += [wire_type(method.returns).result_schema for method in METHODS.values()]

        assert ANY not in schemas[: len(hints)]
        for text in {json.dumps(schema) for schema in schemas}:
            Draft202012Validator.check_schema(json.loads(text))

    def test_goldens(self) -> None:
        """Parameters and results of successful golden calls are valid under the schemas."""
        for request, answer in EXCHANGES:
            method = BY_NAME[request["method"]]
            params = [] if "{{" in str(request) else request.get("params") or []
            for parameter, value in zip(method["params"], params, strict=False):
                if value is not None:
                    check(parameter["schema"], value)
            check(method["result"]["schema"], answer["result"])

    @pytest.mark.parametrize(
        ("hint", "wrong"),
        [(int, "0x01"), (int, 1), (bytes, "0x1"), (list[int], "0x1"), (int | None, "")],
    )
    def test_answered(self, hint: Any, wrong: object) -> None:
        """Schemas of results refuse similar values."""
        assert not Draft202012Validator(
            {**wire_type(hint).result_schema, "components": DOCUMENT["components"]}
        ).is_valid(wrong)
