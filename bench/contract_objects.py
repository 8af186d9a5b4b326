"""Calls of contracts as Python objects: encoding, execution and decoding; sent, also mining.

And a peg-in: two Bitcoin transactions, three blocks, and their proof registered at the Bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from bench.driver import CONTRACTS, SUPPLY
from bench.timing import Measured, in_slices, timed
from devchain import Config, Node
from devchain.contracts.contract import Contract

GROUP = "contract objects"


def _function(name: str, inputs: Sequence[str], output: str, mutability: str) -> dict[str, Any]:
    return {
        "type": "function",
        "name": name,
        "inputs": [{"name": "", "type": each} for each in inputs],
        "outputs": [{"name": "", "type": output}],
        "stateMutability": mutability,
    }


ABI = [
    {"type": "constructor", "inputs": [{"name": "supply", "type": "uint256"}]},
    _function("transfer", ["address", "uint256"], "bool", "nonpayable"),
    _function("balanceOf", ["address"], "uint256", "view"),
]


def deploy_token(node: Node) -> Contract:
    """The workloads' token on a node; the first account has all of it."""
    return node.deploy({"abi": ABI, "bytecode": CONTRACTS["Token"]["bytecode"]}, SUPPLY)


def measure(rounds: int, engines: Sequence[str], *, quick: bool) -> Iterator[list[Measured]]:
    """Milliseconds of a view function's call, of a call that is mined, and of a peg-in."""
    with ExitStack() as stack:
        nodes = {each: stack.enter_context(Node(Config(engine=each))) for each in engines}
        tokens = {engine: deploy_token(node) for engine, node in nodes.items()}
        bobs = {engine: node.funded_accounts[1] for engine, node in nodes.items()}
        works: Mapping[str, tuple[int, Callable[[str], object]]] = {
            "balanceOf, a view function": (500, lambda each: tokens[each].balanceOf(bobs[each])),
            "transfer, sent and mined": (100, lambda each: tokens[each].transfer(bobs[each], 1)),
            "peg_in, mined on both chains": (10, lambda each: nodes[each].peg_in(bobs[each], 0.1)),
        }
        for name, (count, work) in works.items():
            runs = {
                engine: partial(timed, partial(_repeat, work, engine), 1 if quick else count)
                for engine in engines
            }
            yield in_slices(GROUP, name, runs, rounds)


def _repeat(work: Callable[[str], object], engine: str, count: int) -> None:
    for _ in range(count):
        work(engine)
