"""`--unlimited-contract-size`: contracts larger than the networks allow."""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import InitCodeTooLarge
from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE
from tests.actions import run, send
from tests.bytecode import assemble
from tests.conftest import GENESIS_TIME

LIMIT = 24_576
INIT_LIMIT = 49_152
GAS = 40_000_000

BY_CONTRACT = assemble(f"{INIT_LIMIT + 32} 0 0 CREATE 0 SSTORE STOP")
"""slot[0] = the contract created with more init code than is allowed, all of it STOP"""


def a_node(hardfork: str, engine: str = "fast", *, unlimited: bool) -> Node:
    """A node whose blocks are large enough for large contracts."""
    return Node(
        Config(
            hardfork=hardfork,
            engine=engine,
            gas_limit=100_000_000,
            fixed_clock=GENESIS_TIME,
            unlimited_contract_size=unlimited,
        )
    )


def returning(size: int) -> bytes:
    """Init code that returns that many zero bytes as code."""
    return assemble(f"{size} 0 RETURN")


@pytest.fixture(params=["vetiver", "orchid", "prague", "spuriousdragon"])
def hardfork(request: pytest.FixtureRequest) -> str:
    """Hardforks with limits of Rootstock and Ethereum, new and old."""
    return str(request.param)


class TestCode:
    def test_limited(self, hardfork: str) -> None:
        """By default a creation of one byte too much fails."""
        node = a_node(hardfork, unlimited=False)

        assert run(node, None, returning(LIMIT), gas=GAS).succeeded
        assert not run(node, None, returning(LIMIT + 1), gas=GAS).succeeded

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_unlimited(self, hardfork: str, engine: str) -> None:
        """With the option it is stored, on both engines; a copy keeps the rules."""
        node = a_node(hardfork, engine, unlimited=True)

        receipt = run(node, None, returning(4 * LIMIT), gas=GAS)

        assert receipt.succeeded
        assert receipt.contract_address is not None
        code = node.chain.state_at(Tag.LATEST).code(receipt.contract_address)
        assert len(code) == 4 * LIMIT
        assert run(node.copy(), None, returning(LIMIT + 1), gas=GAS).succeeded

    @pytest.mark.parametrize("hardfork", ["vetiver", "london", "prague"])
    def test_reserved_byte(self, hardfork: str) -> None:
        """Code that starts with 0xef is refused all the same."""
        node = a_node(hardfork, unlimited=True)
        starting = assemble(f"0xef 0 MSTORE8 {LIMIT + 1} 0 RETURN")

        assert not run(node, None, starting, gas=GAS).succeeded


class TestInitCode:
    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_transaction(self, hardfork: str) -> None:
        """A transaction may carry any init code, also more than 128 KiB, with the option alone."""
        limited, unlimited = (a_node(hardfork, unlimited=each) for each in (False, True))

        with pytest.raises(InitCodeTooLarge):
            send(limited, None, bytes(INIT_LIMIT + 1), gas=GAS)

        assert run(unlimited, None, bytes(INIT_LIMIT + 1), gas=GAS).succeeded
        assert run(unlimited, None, bytes(200_000), gas=GAS).succeeded
        with pytest.raises(InitCodeTooLarge, match="higher than defined maximum"):
            send(unlimited, ALICE, bytes(200_000), gas=GAS)

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_by_contract(self, hardfork: str) -> None:
        """So may a contract that creates another."""
        failed, done = (
            run(a_node(hardfork, unlimited=each), None, BY_CONTRACT, gas=GAS)
            for each in (False, True)
        )

        assert (failed.succeeded, done.succeeded) == (False, True)
