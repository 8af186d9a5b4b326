"""Two hundred contract tests through web3.py: in process, over HTTP, and on eth-tester.

`make bench-suite`, or `python -m bench.suite [NAME=URL ...]`. Every contender runs the same tests
with the same client, each test between a snapshot and a revert; the figure is milliseconds a test.
eth-tester takes part where it is installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from web3 import HTTPProvider, Web3

from bench import nodes, report
from bench.stage import CONTRACTS, SUPPLY
from bench.timing import in_turns, timed
from devchain import Config, Node
from devchain.client.web3 import provider

TESTS = 200
ROUNDS = 3
POLL_SECONDS = 0.001
REFUSALS = {"ContractCustomError", "ContractLogicError", "TransactionFailed"}


def _described(kind: str, name: str, inputs: str, outputs: str = "", mutability: str = "") -> Any:
    """An entry of an ABI; parameters are `type name` by commas, `indexed` behind the type."""

    def params(text: str) -> list[dict[str, Any]]:
        words = [each.split() for each in filter(None, text.split(","))]
        return [{"type": e[0], "name": e[-1], "indexed": "indexed" in e} for e in words]

    given = {"inputs": params(inputs), "outputs": params(outputs), "stateMutability": mutability}
    return {"type": kind, "name": name, "anonymous": False, **given}


ABI = [
    _described("constructor", "", "uint256 supply", mutability="nonpayable"),
    _described("function", "balanceOf", "address owner", "uint256 held", "view"),
    _described("function", "transfer", "address to,uint256 value", "bool done", "nonpayable"),
    _described("event", "Transfer", "address indexed from,address indexed to,uint256 value"),
    _described("error", "InsufficientBalance", "uint256 held,uint256 wanted"),
]


class Stand:
    """A token on some chain, and what tests do to it."""

    def __init__(self, w3: Web3) -> None:
        """Deploy it once: every test starts from there."""
        self.w3 = w3
        self.alice, self.bob = w3.eth.accounts[:2]
        self.token = self.deploy()

    def deploy(self) -> Any:
        """A token of its own."""
        factory = self.w3.eth.contract(abi=ABI, bytecode=CONTRACTS["Token"]["bytecode"])
        receipt = self.mined(factory.constructor(SUPPLY).transact({"from": self.alice}))
        return self.w3.eth.contract(address=receipt["contractAddress"], abi=ABI)

    def mined(self, tx_hash: Any) -> Any:
        """The receipt of a transaction."""
        return self.w3.eth.wait_for_transaction_receipt(tx_hash, poll_latency=POLL_SECONDS)

    def transfer(self, amount: int) -> Any:
        """Give the second account some; the receipt."""
        call = self.token.functions.transfer(self.bob, amount)
        return self.mined(call.transact({"from": self.alice}))

    def balance(self, token: Any = None) -> int:
        """What the second account has."""
        return int((token or self.token).functions.balanceOf(self.bob).call())

    @contextmanager
    def isolated(self) -> Iterator[None]:
        """Take back what is done inside."""
        tester = getattr(self.w3.provider, "ethereum_tester", None)
        if tester:
            snapshot = tester.take_snapshot()
            yield
            tester.revert_to_snapshot(snapshot)
        else:
            snapshot = self._ask("evm_snapshot")
            yield
            expect(holds=self._ask("evm_revert", snapshot) is True)

    def _ask(self, method: Any, *values: Any) -> Any:
        return self.w3.provider.make_request(method, list(values))["result"]


def expect(*, holds: bool) -> None:
    """Stop the benchmark where a node does not do what the test is about."""
    if not holds:
        msg = "a test of the suite failed"
        raise RuntimeError(msg)


def deploys(stand: Stand) -> None:
    """A contract of the test's own."""
    expect(holds=stand.balance(stand.deploy()) == 0)


def transfers(stand: Stand) -> None:
    """Transactions one after another, and what has become of them."""
    for amount in (1, 2, 3):
        stand.transfer(amount)
    expect(holds=stand.balance() == 6)


def reverts(stand: Stand) -> None:
    """A call that is refused, with the contract's own error."""
    call = stand.token.functions.transfer(stand.bob, SUPPLY + 1)
    try:
        call.call({"from": stand.alice})
    except Exception as error:  # noqa: BLE001  # eth-tester raises its own
        expect(holds=type(error).__name__ in REFUSALS)
    else:
        expect(holds=False)


def events(stand: Stand) -> None:
    """The event of a transaction, and the same found by a query."""
    receipt = stand.transfer(7)
    (event,) = stand.token.events.Transfer().process_receipt(receipt)
    (found,) = stand.token.events.Transfer().get_logs(from_block=receipt["blockNumber"])
    expect(holds=event["args"]["value"] == found["args"]["value"] == 7)


def snapshots(stand: Stand) -> None:
    """One more snapshot inside the test's own."""
    stand.transfer(1)
    with stand.isolated():
        stand.transfer(1)
    expect(holds=stand.balance() == 1)


KINDS: tuple[Callable[[Stand], None], ...] = (deploys, transfers, reverts, events, snapshots)


def run(stand: Stand, count: int) -> None:
    """So many tests, of each kind in turn."""
    for number in range(count):
        with stand.isolated():
            KINDS[number % len(KINDS)](stand)


@contextmanager
def contenders(urls: Sequence[tuple[str, str]]) -> Iterator[dict[str, Stand]]:
    """Every chain that can be measured here, devchain first."""
    with ExitStack() as stack:
        node = stack.enter_context(Node(Config(gas_limit=nodes.GAS_LIMIT)))
        url = stack.enter_context(nodes.started(*nodes.UNLIMITED))
        stands = {
            "devchain, in process": Stand(Web3(provider(node))),
            "devchain, over HTTP": Stand(Web3(HTTPProvider(url))),
        }
        for name, other in urls:
            stands[name] = Stand(Web3(HTTPProvider(other)))
        if find_spec("eth_tester"):
            from web3 import EthereumTesterProvider  # noqa: PLC0415  # only there with eth-tester

            stands["eth-tester"] = Stand(Web3(EthereumTesterProvider()))
        yield stands


def main(arguments: Sequence[str]) -> int:
    """Measure, and show one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.suite", description=__doc__)
    parser.add_argument("urls", nargs="*", metavar="NAME=URL", help="another node to compare with")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N")
    parser.add_argument("--tests", type=int, default=TESTS, metavar="N", help="tests in the suite")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample there too")
    asked = parser.parse_args(arguments)
    named = [(name, url) for name, _, url in (each.partition("=") for each in asked.urls)]
    with contenders(named) as stands:
        runs = {
            name: lambda stand=stand: timed(lambda count: run(stand, count), asked.tests)
            for name, stand in stands.items()
        }
        measured = in_turns("web3.py", f"a test of {asked.tests}", runs, asked.rounds)
    report.show(measured, Console())
    if asked.json:
        asked.json.write_text(report.as_json(measured, asked.rounds), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
