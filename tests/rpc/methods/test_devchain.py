"""`devchain.rpc.methods.devchain`"""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.contracts.till import FILE
from tests.failures.builds import BUILDS
from tests.values import json_of


class TestGetBuildInfo:
    def test_project(self) -> None:
        """Of a node's own --artifacts it has what their files have, read when it is asked for."""
        with Node(Config(artifacts=(str(FILE),))) as node:
            till = node.deploy("Till")
            found = LocalClient(node).call("devchain_getBuildInfo", str(till.address))

        [path] = found["output"]["contracts"]
        assert found["input"]["sources"][path]["content"].startswith("//")

    def test_given_to_another_node(self) -> None:
        """Another node that is sent the result names a failure's place as the first does."""
        with Node(Config(artifacts=(str(FILE),))) as one, Node(Config()) as other:
            code = str(one.deploy("Till").address)
            written = LocalClient(one).call("devchain_getBuildInfo", code)
            client = LocalClient(other)
            client.call("devchain_addArtifacts", written)
            till = other.deploy("Till")
            request = {"to": str(till.address), "data": "0x" + till.sell.encode(40).hex()}

            found = client.call("devchain_explainCall", request)

        last = found["sourceTrace"]["frames"][-1]
        assert (last["path"], last["line"]) == ("contracts/Till.sol", 62)

    def test_too_large(self) -> None:
        """Beyond --max-response it is an error, as every answer."""
        build = next(each for each in BUILDS if each.name == "vyper-0.4")
        with Node(Config(max_response=5_000)) as node:
            client = LocalClient(node)
            client.call("devchain_addArtifacts", orjson.loads(json_of(build)))
            address = str(node.deploy("values").address)

            with pytest.raises(RpcFailure, match="larger") as caught:
                client.call("devchain_getBuildInfo", address)

        assert caught.value.code == -32012

    def test_sources_without_text(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What a client sent without its text is not read from the node's disk."""
        (tmp_path / "secret.sol").write_text("secret")
        monkeypatch.chdir(tmp_path)
        code = {"object": "00", "sourceMap": "0:1:0:-"}
        contract = {"abi": [], "evm": {"deployedBytecode": code}}
        written = {
            "contracts": {"secret.sol": {"Car": contract}},
            "sources": {"secret.sol": {"id": 0}},
        }
        with Node(Config()) as node:
            client = LocalClient(node)
            client.call("devchain_addArtifacts", written)

            found = client.call("devchain_getBuildInfo", "0x00")

        assert found["input"]["sources"] == {}
        assert "secret" not in str(found["output"]["sources"])
