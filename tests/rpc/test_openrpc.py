"""`devchain.rpc.openrpc`, `devchain.rpc.schema_table` and `devchain.rpc.schemas`"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.enabled_methods import Offer
from devchain.rpc.openrpc import MEANINGS, codes_of, document
from devchain.rpc.schema_table import answered, given
from devchain.rpc.schemas import ANY
from tests.wire.exchange import goldens

Draft202012Validator = pytest.importorskip("jsonschema").Draft202012Validator

DOCUMENT = document(Offer(Config()), "1.2.3")
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
"""What the OpenRPC specification allows of the objects that we use.

`make test-clients` holds the document against OpenRPC's own schema.
"""


def exchanges() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every golden call that succeeds: request and answer."""
    for golden in goldens():
        if golden.path.parent.name in BY_NAME:
            for sent, got in golden.pairs:
                request, answer = json.loads(sent), json.loads(got)
                if request["method"] in BY_NAME and "result" in answer:
                    yield request, answer


EXCHANGES = list(exchanges())


def check(schema: dict[str, Any], value: object) -> None:
    """Fail unless a value is as a schema of the document says."""
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


class TestDocument:
    def test_specification(self, client: LocalClient) -> None:
        """What is answered is a document as OpenRPC specifies it."""
        Draft202012Validator(SPECIFICATION).validate(client.call("rpc.discover"))

    def test_every_method(self) -> None:
        """Every method is in it, with its parameters in order."""
        assert list(BY_NAME) == list(METHODS)
        for name, method in METHODS.items():
            described = [(each["name"], each["required"]) for each in BY_NAME[name]["params"]]
            assert described == [(each.name, not each.is_optional) for each in method.parameters]

    def test_closed(self, node: Node) -> None:
        """What the options close is not in it, nor are schemas that nothing needs."""
        actual = document(Offer(Config(methods=("eth_getBalance",))), "1")

        assert [each["name"] for each in actual["methods"]] == ["eth_getBalance"]
        assert list(actual["components"]["schemas"]) == [
            "Address",
            "BlockParameter",
            "GivenQuantity",
            "Hash",
            "Quantity",
            "Tag",
        ]

    def test_references(self) -> None:
        """Every reference leads to a component, and every component is referred to."""
        named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(DOCUMENT)))

        assert named == set(DOCUMENT["components"]["schemas"])


class TestCodes:
    def test_meanings(self) -> None:
        """Every code that the text of a method names has a meaning here."""
        named = {
            int(code)
            for method in METHODS.values()
            for code in re.findall(r"-3[23]\d{3}", method.documentation)
        }

        assert named <= set(MEANINGS)

    def test_from_text(self) -> None:
        """A method has the codes that its text and its kind name."""
        assert codes_of(METHODS["debug_traceTransaction"]) == [-32000, -32012, -32602]
        assert codes_of(METHODS["eth_getCode"]) == [-32201, -32602]


class TestSchemas:
    @pytest.mark.parametrize("name", METHODS)
    def test_known(self, name: str) -> None:
        """No parameter is just anything, and no schema is one that JSON Schema refuses."""
        for parameter in METHODS[name].parameters:
            assert given(parameter.hint) != ANY, parameter.name
            Draft202012Validator.check_schema(given(parameter.hint))
        Draft202012Validator.check_schema(answered(METHODS[name].returns))

    @pytest.mark.parametrize("name", METHODS)
    def test_goldens(self, name: str) -> None:
        """Every golden call that succeeds is as the schemas say, and so is its answer."""
        method = BY_NAME[name]
        for request, answer in (each for each in EXCHANGES if each[0]["method"] == name):
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
        """Answers are told from what only looks like them."""
        assert not Draft202012Validator(
            {**answered(hint), "components": DOCUMENT["components"]}
        ).is_valid(wrong)
