"""Tests of a token on chains inside a Python process: devchain, Wake 5 and titanoboa.

The tests are what a suite of an ERC-20 in Vyper or Solidity mostly does. Wake and titanoboa need
other versions of packages that devchain needs, so their interpreters run this file:

    PYTHON bench/token_suite.py wake     reads lines, `view 200`; prints milliseconds of each
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from devchain.node import Node

TOKEN = json.loads((Path(__file__).parent / "contracts" / "Workloads.json").read_text())["Token"]
SUPPLY = 10**24
WARM_UP_SHARE = 10


def _entry(kind: str, name: str, inputs: str, outputs: str = "", mutability: str = "") -> Any:
    """An entry of an ABI; parameters are `type name` by commas, `indexed` behind the type."""

    def params(text: str) -> list[dict[str, Any]]:
        words = [param.split() for param in filter(None, text.split(","))]
        return [{"type": word[0], "name": word[-1], "indexed": "indexed" in word} for word in words]

    entry = {"inputs": params(inputs), "outputs": params(outputs), "stateMutability": mutability}
    return {"type": kind, "name": name, "anonymous": False, **entry}


ABI = [
    _entry("constructor", "", "uint256 supply", mutability="nonpayable"),
    _entry("function", "balanceOf", "address owner", "uint256 held", "view"),
    _entry("function", "transfer", "address to,uint256 value", "bool done", "nonpayable"),
    _entry("event", "Transfer", "address indexed from,address indexed to,uint256 value"),
    _entry("error", "InsufficientBalance", "uint256 held,uint256 wanted"),
]


class TokenChain(Protocol):
    """A chain with a token, of which its first account has all."""

    def deploy(self) -> Any:
        """Deploy another token."""

    def transfer(self, amount: int) -> Any:
        """Transfer to the second account, mined; what there is to read of it."""

    def balance(self, token: Any = None) -> int:
        """The second account's balance, of the token or of another."""

    def refuses(self, amount: int) -> bool:
        """Whether a call of a transfer of so much reverts with the token's error."""

    def amounts(self, sent: Any) -> list[int]:
        """The values of the transfer events of a transaction."""

    def isolated(self) -> Any:
        """A context manager that reverts what happened inside."""


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
    expect(holds=chain.refuses(SUPPLY + 1))


def events(chain: TokenChain) -> None:
    """Read the events of a transaction."""
    expect(holds=chain.amounts(chain.transfer(7)) == [7])


def snapshots(chain: TokenChain) -> None:
    """A snapshot inside the test's own."""
    chain.transfer(1)
    with chain.isolated():
        chain.transfer(1)
    expect(holds=chain.balance() == 1)


TESTS: tuple[Callable[[TokenChain], None], ...] = (deploys, transfers, reverts, events, snapshots)


def run(chain: TokenChain, count: int) -> None:
    """Run that many tests, of each kind in turn, each isolated."""
    for number in range(count):
        with chain.isolated():
            TESTS[number % len(TESTS)](chain)


def snapshot_and_revert(chain: TokenChain) -> None:
    """Isolate nothing."""
    with chain.isolated():
        pass


WORKLOADS: dict[str, tuple[int, Callable[[TokenChain], object]]] = {
    "balanceOf, a view function": (500, lambda chain: chain.balance()),
    "transfer, sent and mined": (100, lambda chain: chain.transfer(1)),
    "snapshot and revert": (200, snapshot_and_revert),
}
"""Operations by their names, and how often they are repeated in a round."""
TEST = "a test of 200"


def milliseconds(chain: TokenChain, name: str, count: int) -> float:
    """The time of a repetition, measured after a warm-up."""

    def work(times: int) -> None:
        if name == TEST:
            run(chain, times)
            return
        operation = WORKLOADS[name][1]
        for _ in range(times):
            operation(chain)

    with chain.isolated():
        work(count // WARM_UP_SHARE + 1)
    with chain.isolated():
        begun = time.perf_counter()
        work(count)
        return (time.perf_counter() - begun) / count * 1_000


class Devchain:
    """A node in this process, and the token as a contract object."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.bob = node.funded_accounts[1]
        self.token = self.deploy()

    def deploy(self) -> Any:
        return self.node.deploy({"abi": ABI, "bytecode": TOKEN["bytecode"]}, SUPPLY)

    def transfer(self, amount: int) -> Any:
        return self.token.transfer(self.bob, amount)

    def balance(self, token: Any = None) -> int:
        return (token or self.token).balanceOf(self.bob)  # type: ignore[no-any-return]  # by the ABI

    def refuses(self, amount: int) -> bool:
        from devchain.errors import ExecutionReverted  # noqa: PLC0415  # not in the other interpreters

        try:
            self.token.transfer.call(self.bob, amount)
        except ExecutionReverted as error:
            return "InsufficientBalance" in str(error)
        return False

    def amounts(self, sent: Any) -> list[int]:
        return [event.value for event in self.token.events("Transfer", where=sent)]

    def isolated(self) -> Any:
        return self.node.snapshot()


class Wake:
    """Wake 5; what its generated classes do is written out, since they need the compiler."""

    def __init__(self) -> None:
        from wake import testing  # type: ignore[import-not-found]  # noqa: PLC0415  # only there

        self.wake, self.chain = testing, testing.chain
        self.chain.connect().__enter__()
        alice, self.bob = self.chain.accounts[:2]
        self.chain.set_default_accounts(alice)
        self.balance_of, self.send = (
            bytes.fromhex(TOKEN["selectors"][signature])
            for signature in ("balanceOf(address)", "transfer(address,uint256)")
        )
        self.token = self.deploy()

    def deploy(self) -> Any:
        code = bytes.fromhex(TOKEN["bytecode"].removeprefix("0x")) + SUPPLY.to_bytes(32, "big")
        return self.wake.Account(self.chain.deploy(code).address)

    def _transfer_data(self, amount: int) -> bytes:
        arguments = self.wake.Abi.encode(["address", "uint256"], [self.bob, amount])
        return self.send + arguments  # type: ignore[no-any-return]  # bytes

    def transfer(self, amount: int) -> Any:
        return self.token.transact(self._transfer_data(amount))

    def balance(self, token: Any = None) -> int:
        data = self.balance_of + self.wake.Abi.encode(["address"], [self.bob])
        (held,) = self.wake.Abi.decode(["uint256"], (token or self.token).call(data))
        return int(held)

    def refuses(self, amount: int) -> bool:
        try:
            self.token.call(self._transfer_data(amount))
        except self.wake.UnknownRevertError:
            return True
        return False

    def amounts(self, sent: Any) -> list[int]:
        return [self.wake.Abi.decode(["uint256"], log.data)[0] for log in sent.raw_events]

    def isolated(self) -> Any:
        return self.chain.snapshot_and_revert()


class Titanoboa:
    """titanoboa, with the token by its ABI."""

    def __init__(self) -> None:
        import boa  # type: ignore[import-not-found]  # noqa: PLC0415  # only there

        self.boa = boa
        self.factory = boa.loads_abi(json.dumps(ABI))
        self.bob = boa.env.generate_address()
        self.token = self.deploy()

    def deploy(self) -> Any:
        code = bytes.fromhex(TOKEN["bytecode"].removeprefix("0x")) + SUPPLY.to_bytes(32, "big")
        return self.factory.at(self.boa.env.deploy_code(bytecode=code)[0])

    def transfer(self, amount: int) -> Any:
        return self.token.transfer(self.bob, amount)

    def balance(self, token: Any = None) -> int:
        return int((token or self.token).balanceOf(self.bob))

    def refuses(self, amount: int) -> bool:
        try:
            self.token.transfer(self.bob, amount)
        except self.boa.BoaError:
            return True
        return False

    def amounts(self, sent: Any) -> list[int]:
        expect(holds=sent is True)
        return [event.value for event in self.token.get_logs()]

    def isolated(self) -> Any:
        return self.boa.env.anchor()


PEERS: dict[str, Callable[[], TokenChain]] = {"wake": Wake, "titanoboa": Titanoboa}
"""What this file measures in an interpreter of their own, by the names of the packages."""


def main() -> None:
    """Measure what the lines of the input name."""
    chain = PEERS[sys.argv[1]]()
    for line in sys.stdin:
        name, _, count = line.strip().rpartition(" ")
        sys.stdout.write(f"{milliseconds(chain, name, int(count))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
