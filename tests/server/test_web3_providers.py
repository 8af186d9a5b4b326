"""web3.py's persistent providers on the server"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web3 import AsyncIPCProvider, AsyncWeb3, IPCProvider, Web3, WebSocketProvider

from tests.server.live import CONFIG, serving

IPC = "node.ipc"  # relative: the path of a temporary folder can be too long for a socket


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A node that is served over a port and a socket in the working folder."""
    with chdir(tmp_path), serving(replace(CONFIG, ipc=IPC, accounts=2)) as number:
        yield number


@pytest.mark.parametrize("kind", ["ws", "ipc"])
def test_subscriptions(port: int, kind: str) -> None:
    """web3.py can read the notifications of every kind of subscription."""
    provider = (
        WebSocketProvider(f"ws://127.0.0.1:{port}") if kind == "ws" else AsyncIPCProvider(IPC)
    )

    async def run() -> tuple[bytes, list[Any]]:
        async with AsyncWeb3(provider) as w3:
            await w3.eth.subscribe("syncing")
            await w3.eth.subscribe("newHeads")
            await w3.eth.subscribe("newPendingTransactions")
            await w3.eth.subscribe("newPendingTransactions", True)
            sender, to = await w3.eth.accounts
            sent = await w3.eth.send_transaction({"from": sender, "to": to, "value": 1})  # type: ignore[typeddict-item]
            notifications = w3.socket.process_subscriptions()
            return bytes(sent), [(await anext(notifications))["result"] for _ in range(3)]

    sent, (head, pending, full) = asyncio.run(run())

    assert (head["number"], head["gasUsed"]) == (1, 21_000)
    assert pending == full["hash"] == sent
    assert full["blockHash"] is None


def test_ipc(port: int) -> None:
    """The provider without asyncio works over the socket too."""
    provider = IPCProvider(os.fspath(Path(IPC)))

    assert Web3(provider).eth.chain_id == 31

    provider._socket.sock.close()
