"""`devchain.client.contract_creations`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.contract_creations import find_init_code
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.types import Address
from tests.accounts import ALICE
from tests.equal_code import FILE
from tests.source.executions import RefusingClient


@pytest.fixture
def config() -> Config:
    """The configuration of a node that knows a factory of contracts with equal code."""
    return Config(network="test", artifacts=(str(FILE),))


def template(node: Node, name: str) -> bytes:
    """The creation code of a contract."""
    [found] = node.artifacts.find_by_name(name)
    return found.creation.template


def test_init_code(node: Node, client: LocalClient) -> None:
    """It is found of contracts that transactions and contracts created."""
    gold = Address(bytes(node.deploy("Gold").address))
    mint = node.deploy("Mint")
    mint.create(False, 1)
    silver = Address(bytes(mint.newest()))
    init_code = find_init_code(client)

    assert init_code(gold) == template(node, "Gold")
    assert init_code(silver) == template(node, "Silver")
    assert init_code(ALICE) is None


@pytest.mark.parametrize(
    "answer", [RpcFailure(-32601, "no such method"), None, 7, "0x", {}, {"hash": 5}, {"hash": "0x"}]
)
def test_not_told(node: Node, answer: Any) -> None:
    """It is None of nodes without the method, and with any other answer."""
    refused = answer if isinstance(answer, RpcFailure) else lambda _: answer
    gold = Address(bytes(node.deploy("Gold").address))
    client = RefusingClient(LocalClient(node), ots_getContractCreator=refused)

    assert find_init_code(client)(gold) is None
