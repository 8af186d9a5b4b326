"""Benchmark of two hundred contract tests through web3.py: in process, over HTTP, on eth-tester.

Every contender runs the same tests with the same client, each test between a snapshot and a revert;
the figure is milliseconds per test. eth-tester takes part where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any

from web3 import HTTPProvider, Web3

from bench import nodes
from bench.driver import CONTRACTS, SUPPLY
from bench.timing import Measured, in_slices, timed
from devchain import Config, Node
from devchain.client.web3 import provider

GROUP = "suite through web3.py"
TESTS = 200
QUICK_TESTS = 5
MAX_ROUNDS = 3
POLL_SECONDS = 0.001
REVERT_ERRORS = {"ContractCustomError", "ContractLogicError", "TransactionFailed"}


def _abi_entry(kind: str, name: str, inputs: str, outputs: str = "", mutability: str = "") -> Any:
    """An entry of an ABI; parameters are `type name` by commas, `indexed` behind the type."""

    def params(text: str) -> list[dict[str, Any]]:
        words = [each.split() for each in filter(None, text.split(","))]
        return [{"type": e[0], "name": e[-1], "indexed": "indexed" in e} for e in words]

    entry = {"inputs": params(inputs), "outputs": params(outputs), "stateMutability": mutability}
    return {"type": kind, "name": name, "anonymous": False, **entry}


ABI = [
    _abi_entry("constructor", "", "uint256 supply", mutability="nonpayable"),
    _abi_entry("function", "balanceOf", "address owner", "uint256 held", "view"),
    _abi_entry("function", "transfer", "address to,uint256 value", "bool done", "nonpayable"),
    _abi_entry("event", "Transfer", "address indexed from,address indexed to,uint256 value"),
    _abi_entry("error", "InsufficientBalance", "uint256 held,uint256 wanted"),
]


class TokenChain:
    """A token on a node's chain, with the operations of the tests."""

    def __init__(self, w3: Web3) -> None:
        """Deploy the token once: every test starts from there."""
        self.w3 = w3
        self.alice, self.bob = w3.eth.accounts[:2]
        self.token = self.deploy()

    def deploy(self) -> Any:
        """Deploy another token."""
        factory = self.w3.eth.contract(abi=ABI, bytecode=CONTRACTS["Token"]["bytecode"])
        receipt = self.mined(factory.constructor(SUPPLY).transact({"from": self.alice}))
        return self.w3.eth.contract(address=receipt["contractAddress"], abi=ABI)

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


def expect(*, holds: bool) -> None:
    """Raise `RuntimeError`, which ends the measurement, if a test of the suite fails."""
    if not holds:
        raise RuntimeError("a test of the suite failed")


def deploys(chain: TokenChain) -> None:
    """Deploy a contract."""
    expect(holds=chain.balance(chain.deploy()) == 0)


def transfers(chain: TokenChain) -> None:
    """Send transactions, then read a balance."""
    for amount in (1, 2, 3):
        chain.transfer(amount)
    expect(holds=chain.balance() == 6)


def reverts(chain: TokenChain) -> None:
    """A call that reverts with a custom error."""
    call = chain.token.functions.transfer(chain.bob, SUPPLY + 1)
    try:
        call.call({"from": chain.alice})
    except Exception as error:  # noqa: BLE001  # eth-tester raises its own
        expect(holds=type(error).__name__ in REVERT_ERRORS)
    else:
        expect(holds=False)


def events(chain: TokenChain) -> None:
    """Read an event from a receipt, and find it by a query."""
    receipt = chain.transfer(7)
    (event,) = chain.token.events.Transfer().process_receipt(receipt)
    (found,) = chain.token.events.Transfer().get_logs(from_block=receipt["blockNumber"])
    expect(holds=event["args"]["value"] == found["args"]["value"] == 7)


def snapshots(chain: TokenChain) -> None:
    """A snapshot inside the test's own."""
    chain.transfer(1)
    with chain.isolated():
        chain.transfer(1)
    expect(holds=chain.balance() == 1)


KINDS: tuple[Callable[[TokenChain], None], ...] = (deploys, transfers, reverts, events, snapshots)


def run(chain: TokenChain, count: int) -> None:
    """Run that many tests, of each kind in turn."""
    for number in range(count):
        with chain.isolated():
            KINDS[number % len(KINDS)](chain)


@contextmanager
def contenders(urls: Sequence[tuple[str, str]]) -> Iterator[dict[str, TokenChain]]:
    """Every node that can be measured here, devchain first."""
    with ExitStack() as stack:
        node = stack.enter_context(Node(Config(gas_limit=nodes.GAS_LIMIT)))
        url = stack.enter_context(nodes.started(*nodes.UNLIMITED))
        chains = {
            "devchain, in process": TokenChain(Web3(provider(node))),
            "devchain, over HTTP": TokenChain(Web3(HTTPProvider(url))),
        }
        for name, other in urls:
            chains[name] = TokenChain(Web3(HTTPProvider(other)))
        if find_spec("eth_tester"):
            from web3 import EthereumTesterProvider  # noqa: PLC0415  # only there with eth-tester

            chains["eth-tester"] = TokenChain(Web3(EthereumTesterProvider()))
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
