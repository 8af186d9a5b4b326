"""The contracts whose lines are counted, and a story that runs some of their lines."""

from __future__ import annotations

from pathlib import Path

from devchain.config import Config
from devchain.contracts.coverage import build_report
from devchain.contracts.coverage_report import Report
from devchain.node import Node

CONTRACTS = Path(__file__).parent / "contracts"
TILL = "contracts/Till.sol"


def counting(name: str, hardfork: str = "london", engine: str = "fast") -> Node:
    """A node that counts the lines of one of the build-info files."""
    file = CONTRACTS / f"{name}.json"
    return Node(Config(artifacts=(str(file),), coverage="-", hardfork=hardfork, engine=engine))


def story(node: Node) -> None:
    """A till made by a shop: a price, a sale, a sale refused; a proxy; one of the twins."""
    shop = node.deploy("Shop")
    shop.open()
    till = node.contract("Till", shop.till())
    till.price(2)
    shop.tried(3)
    shop.tried(100)
    proxy = node.deploy("Proxy", shop.till())
    node.contract("Till", proxy.address).low(3)
    node.deploy("Twins").second()


def told(*nodes: Node) -> Report:
    """What the nodes counted."""
    return build_report([each.coverage for each in nodes if each.coverage])
