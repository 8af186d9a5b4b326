"""Benchmark of two hundred contract tests through web3.py: in process, over HTTP, on eth-tester.

Every contender runs the same tests with the same client, each test between a snapshot and a revert;
the figure is milliseconds per test. eth-tester takes part where it is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any

from web3 import HTTPProvider, Web3

from bench import nodes
from bench.timing import Measured, in_slices, timed
from bench.token_suite import ABI, SUPPLY, TOKEN, expect, run
from devchain import Config, Node
from devchain.client.web3 import provider

GROUP = "suite through web3.py"
TESTS = 200
QUICK_TESTS = 5
MAX_ROUNDS = 3
POLL_SECONDS = 0.001
REVERT_ERRORS = {"ContractCustomError", "ContractLogicError", "TransactionFailed"}


class Web3Chain:
    """A token on a node's chain, through web3.py."""

    def __init__(self, w3: Web3) -> None:
        """Deploy the token once: every test starts from there."""
        self.w3 = w3
        self.alice, self.bob = w3.eth.accounts[:2]
        self.token = self.deploy()

    def deploy(self) -> Any:
        """Deploy another token."""
        factory = self.w3.eth.contract(abi=ABI, bytecode=TOKEN["bytecode"])
        receipt = self.mined(factory.constructor(SUPPLY).transact({"from": self.alice}))
        return self.w3.eth.contract(address=receipt["contractAddress"], abi=ABI)

    def refuses(self, amount: int) -> bool:
        """Whether a call of a transfer of so much reverts with the token's error."""
        try:
            self.token.functions.transfer(self.bob, amount).call({"from": self.alice})
        except Exception as error:  # noqa: BLE001  # eth-tester raises its own
            return type(error).__name__ in REVERT_ERRORS
        return False

    def amounts(self, sent: Any) -> list[int]:
        """The values of a receipt's events, which a query finds too."""
        (event,) = self.token.events.Transfer().process_receipt(sent)
        (found,) = self.token.events.Transfer().get_logs(from_block=sent["blockNumber"])
        expect(holds=event["args"] == found["args"])
        return [event["args"]["value"]]

    def mined(self, tx_hash: Any) -> Any:
        """The receipt of a transaction."""
        return self.w3.eth.wait_for_transaction_receipt(tx_hash, poll_latency=POLL_SECONDS)

    def transfer(self, amount: int) -> Any:
        """Transfer to the second account; the receipt."""
        call = self.token.functions.transfer(self.bob, amount)
        return self.mined(call.transact({"from": self.alice}))

    def balance(self, token: Any = None) -> int:
        """The second account's balance."""
        return int((token or self.token).functions.balanceOf(self.bob).call())

    @contextmanager
    def isolated(self) -> Iterator[None]:
        """Revert at the end what happens in the context."""
        tester = getattr(self.w3.provider, "ethereum_tester", None)
        if tester:
            snapshot = tester.take_snapshot()
            yield
            tester.revert_to_snapshot(snapshot)
        else:
            snapshot = self._call("evm_snapshot")
            yield
            expect(holds=self._call("evm_revert", snapshot) is True)

    def _call(self, method: Any, *values: Any) -> Any:
        return self.w3.provider.make_request(method, list(values))["result"]


@contextmanager
def contenders(urls: Sequence[tuple[str, str]]) -> Iterator[dict[str, Web3Chain]]:
    """Every node that can be measured here, devchain first."""
    with ExitStack() as stack:
        node = stack.enter_context(Node(Config(gas_limit=nodes.GAS_LIMIT)))
        url = stack.enter_context(nodes.started(*nodes.UNLIMITED))
        chains = {
            "devchain, in process": Web3Chain(Web3(provider(node))),
            "devchain, over HTTP": Web3Chain(Web3(HTTPProvider(url))),
        }
        for name, other in urls:
            chains[name] = Web3Chain(Web3(HTTPProvider(other)))
        if find_spec("eth_tester"):
            from web3 import EthereumTesterProvider  # noqa: PLC0415  # only there with eth-tester

            chains["eth-tester"] = Web3Chain(Web3(EthereumTesterProvider()))
        yield chains


def measure(
    rounds: int, urls: Sequence[tuple[str, str]], *, quick: bool
) -> Iterator[list[Measured]]:
    """Milliseconds per test of the suite for every contender."""
    tests = QUICK_TESTS if quick else TESTS
    with contenders(urls) as chains:
        runs = {
            name: lambda chain=chain: timed(lambda count: run(chain, count), tests)
            for name, chain in chains.items()
        }
        yield in_slices(GROUP, f"a test of {tests}", runs, min(rounds, MAX_ROUNDS))
