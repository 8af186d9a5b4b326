"""The init code that made a contract on a node, asked for by JSON-RPC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from devchain.client.http import Client
from devchain.errors import RpcFailure
from devchain.types import Address


def find_init_code(node: Client) -> Callable[[Address], bytes | None]:
    """A function that returns the init code of a contract; None if the node does not tell it.

    It is for nodes that have Otterscan's methods, such as devchain and anvil; each contract is
    asked for once.
    """
    known: dict[Address, bytes | None] = {}

    def init_code(contract: Address) -> bytes | None:
        if contract not in known:
            try:
                known[contract] = _init_code(node, f"0x{contract.hex()}")
            except (RpcFailure, AttributeError, KeyError, TypeError, ValueError):
                known[contract] = None
        return known[contract]

    return init_code


def _init_code(node: Client, contract: str) -> bytes | None:
    created: Any = node.call("ots_getContractCreator", contract)
    if not created:
        return None
    tx: Any = node.call("eth_getTransactionByHash", created["hash"])
    if tx["to"] is None:
        return bytes.fromhex(tx["input"].removeprefix("0x"))
    top = node.call("debug_traceTransaction", created["hash"], {"tracer": "callTracer"})
    found = [each["input"] for each in _creations(top) if each["to"].lower() == contract]
    return bytes.fromhex(found[-1].removeprefix("0x")) if found else None


def _creations(top: Any) -> Iterator[Any]:
    waiting = [top]
    while waiting:
        call = waiting.pop()
        if "error" in call:
            continue
        if call["type"].startswith("CREATE"):
            yield call
        waiting += reversed(call.get("calls", []))
