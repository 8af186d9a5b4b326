"""A node with coverage of example contracts, and transactions that run some of their lines."""

from __future__ import annotations

from pathlib import Path

from devchain.config import Config
from devchain.node import Node
from devchain.source.coverage import build_report
from devchain.source.coverage_report import Report

CONTRACTS = Path(__file__).parent / "contracts"
TILL = "contracts/Till.sol"


def coverage_node(
    name: str, hardfork: str = "london", engine: str = "fast", like: str | None = None
) -> Node:
    """A node with coverage of the contracts in the build-info file of that name."""
    return Node(
        Config(
            artifacts=(str(CONTRACTS / f"{name}.json"),),
            coverage="-",
            hardfork=hardfork,
            engine=engine,
            like=like,
        )
    )


def run_till(node: Node) -> None:
    """Deploy a till through a shop, sell twice (one sale reverts), call a proxy and `Twins`."""
    shop = node.deploy("Shop")
    shop.open()
    till = node.contract("Till", shop.till())
    till.price(2)
    shop.tried(3)
    shop.tried(100)
    proxy = node.deploy("Proxy", shop.till())
    node.contract("Till", proxy.address).low(3)
    node.deploy("Twins").second()


def report_of(*nodes: Node) -> Report:
    """The coverage report of nodes."""
    return build_report([each.coverage for each in nodes if each.coverage])
