"""Crash recovery: kill a node under load at random moments and check that nothing is lost.

`python -m bench.crash_recovery` uses one data directory for all runs. In each run clients send
transactions, mine blocks, edit state and leave transactions pending, until the process is killed
with SIGKILL; the next process must have everything that the node confirmed. With `--fork` it is a
fork of another node, which is not killed.
"""

from __future__ import annotations

import argparse
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devchain.client.http import HttpClient
from devchain.errors import DevchainError

START = (sys.executable, "-m", "devchain", "start", "--quiet", "--port", "0")
OWN_CHAIN = ("--network", "test")
TIMEOUT = 30.0
HASHES_ONLY = (False,)
EDITED = "0x" + "ed" * 20
FIRST_PENDING_NONCE = 5
"""Pending transactions leave a gap of nonces before them, so that they are never mined."""


@dataclass
class Confirmed:
    """What the node has confirmed in responses, and so must not lose."""

    transactions: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    balance: int = 0
    start_seconds: list[float] = field(default_factory=list)


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A node with those options, and its URL; killed at the end."""
    command = (*START, *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                raise SystemExit(f"the node did not start: exit code {process.wait()}")
            yield process, line.split()[-1]
        finally:
            process.send_signal(signal.SIGKILL)


def send_transfer(client: HttpClient, confirmed: Confirmed) -> None:
    """Send a transfer, which is mined when its hash is returned."""
    sender, to = client.call("eth_accounts")[:2]
    sent = client.call("eth_sendTransaction", {"from": sender, "to": to, "value": "0x1"})
    confirmed.transactions[sent] = ""
    confirmed.transactions[sent] = client.call("eth_getTransactionReceipt", sent)["blockHash"]


def mine_blocks(client: HttpClient, confirmed: Confirmed) -> None:
    """Mine some blocks by one request."""
    for block in client.call("evm_mine_detailed", {"blocks": 5}):
        confirmed.blocks[block["number"]] = block["hash"]


def edit_balance(client: HttpClient, confirmed: Confirmed) -> None:
    """Raise a balance by one."""
    client.call("hardhat_setBalance", EDITED, hex(confirmed.balance + 1))
    confirmed.balance += 1


def leave_pending(client: HttpClient, confirmed: Confirmed) -> None:
    """Send a transaction that stays pending; at most ten, below the pool's limit per account."""
    sender = client.call("eth_accounts")[9]
    if len(confirmed.pending) < 10:
        nonce = hex(FIRST_PENDING_NONCE + len(confirmed.pending))
        request = {"from": sender, "to": sender, "nonce": nonce}
        confirmed.pending.append(client.call("eth_sendTransaction", request))


ACTIONS = (send_transfer, mine_blocks, edit_balance, leave_pending)


def repeat(url: str, action: Callable[[HttpClient, Confirmed], None], confirmed: Confirmed) -> None:
    """Repeat an action until the node does not answer."""
    with closing(HttpClient(url, TIMEOUT)) as client, suppress(DevchainError, OSError):
        while True:
            action(client, confirmed)


def find_lost(client: HttpClient, confirmed: Confirmed) -> list[str]:
    """What the node has confirmed but does not have any more."""
    lost = []
    for sent, block in confirmed.transactions.items():
        receipt: Any = client.call("eth_getTransactionReceipt", sent)
        if receipt is None or block not in ("", receipt["blockHash"]):
            lost.append(f"transaction {sent}")
    for number, block in confirmed.blocks.items():
        if client.call("eth_getBlockByNumber", number, *HASHES_ONLY)["hash"] != block:
            lost.append(f"block {number}")
    lost += [
        f"pending transaction {each}"
        for each in confirmed.pending
        if client.call("eth_getTransactionByHash", each) is None
    ]
    if int(client.call("eth_getBalance", EDITED, "latest"), 16) < confirmed.balance:
        lost.append("the edited balance")
    return lost


def run_once(options: Sequence[str], max_seconds: float, known: Confirmed) -> Confirmed:
    """Start the node, check what it confirmed before, put it under load and kill it."""
    confirmed = Confirmed(
        pending=known.pending, balance=known.balance, start_seconds=known.start_seconds
    )
    begun = time.perf_counter()
    with started(*options) as (process, url), closing(HttpClient(url, TIMEOUT)) as client:
        known.start_seconds.append(time.perf_counter() - begun)
        lost = find_lost(client, known)
        if lost:
            raise SystemExit("\n".join(["lost:", *lost]))
        threads = [threading.Thread(target=repeat, args=(url, each, confirmed)) for each in ACTIONS]
        for each in threads:
            each.start()
        time.sleep(random.uniform(0.0, max_seconds))  # noqa: S311  # not for cryptography
        process.kill()
        for each in threads:
            each.join()
    return confirmed


def main(arguments: list[str]) -> None:
    """Kill the node `--times` times; exits with an error if anything is lost."""
    parser = argparse.ArgumentParser(prog="python -m bench.crash_recovery", description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.8, help="most seconds under load")
    parser.add_argument("--fork", action="store_true", help="kill a fork of another node")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder, known = Path(stack.enter_context(tempfile.TemporaryDirectory())), Confirmed()
        chain = OWN_CHAIN
        if options.fork:
            chain = ("--fork-url", stack.enter_context(started(*OWN_CHAIN))[1])
        node = (*chain, "--data-dir", str(folder))
        transactions = blocks = 0
        for _ in range(options.times):
            known = run_once(node, options.longest, known)
            transactions += len(known.transactions)
            blocks += len(known.blocks)
        run_once(node, 0.0, known)
        name = "fork" if options.fork else "test"
        with closing(sqlite3.connect(folder / name / "chain.sqlite")) as file:
            (state,) = file.execute("PRAGMA integrity_check").fetchone()
            (height,) = file.execute("SELECT max(number) FROM blocks").fetchone()
    sys.stdout.write(
        f"killed {options.times} times, opened {len(known.start_seconds)} times, nothing lost: "
        f"{transactions} transactions, {blocks} mined blocks and {known.balance} edits "
        f"confirmed; {height} blocks in a file whose integrity is {state}; "
        f"slowest start {max(known.start_seconds):.1f} s\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
