"""`python -m bench.killing`: kill a node under load at random moments, see what it still knows.

One folder lives through all of it. In each life clients send transactions, make blocks, edit state
and leave transactions waiting; the process is killed with SIGKILL in the midst of that; the next
one has to know everything that was answered.
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
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devchain.client.http import HttpClient
from devchain.errors import DevchainError

START = (sys.executable, "-m", "devchain", "start", "--quiet", "--port", "0", "--network", "test")
TIMEOUT = 30.0
SHORT = (False,)
EDITED = "0x" + "ed" * 20
FIRST_WAITING = 5
"""The nonces of transactions that wait leave a gap before them, so that they go on waiting."""


@dataclass
class Answered:
    """What callers have been told."""

    transactions: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    balance: int = 0
    opened: list[float] = field(default_factory=list)


@contextmanager
def started(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A node on that folder, and its URL; killed at the end."""
    command = (*START, "--data-dir", str(folder))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                msg = f"the node did not start: exit code {process.wait()}"
                raise SystemExit(msg)
            yield process, line.split()[-1]
        finally:
            process.send_signal(signal.SIGKILL)


def send(client: HttpClient, answered: Answered) -> None:
    """A transfer, mined when its hash comes back."""
    sender, to = client.call("eth_accounts")[:2]
    sent = client.call("eth_sendTransaction", {"from": sender, "to": to, "value": "0x1"})
    answered.transactions[sent] = ""
    answered.transactions[sent] = client.call("eth_getTransactionReceipt", sent)["blockHash"]


def mine(client: HttpClient, answered: Answered) -> None:
    """Some blocks at once."""
    for block in client.call("evm_mine_detailed", {"blocks": 5}):
        answered.blocks[block["number"]] = block["hash"]


def edit(client: HttpClient, answered: Answered) -> None:
    """A balance that only grows."""
    client.call("hardhat_setBalance", EDITED, hex(answered.balance + 1))
    answered.balance += 1


def wait(client: HttpClient, answered: Answered) -> None:
    """A transaction that waits for one before it; the account has sixteen places."""
    sender = client.call("eth_accounts")[9]
    if len(answered.waiting) < 10:
        nonce = hex(FIRST_WAITING + len(answered.waiting))
        wanted = {"from": sender, "to": sender, "nonce": nonce}
        answered.waiting.append(client.call("eth_sendTransaction", wanted))


DEEDS = (send, mine, edit, wait)


def work(url: str, deed: Callable[[HttpClient, Answered], None], answered: Answered) -> None:
    """Do one thing again and again until the node is gone."""
    with closing(HttpClient(url, TIMEOUT)) as client, suppress(DevchainError, OSError):
        while True:
            deed(client, answered)


def missing(client: HttpClient, answered: Answered) -> list[str]:
    """What was answered and is not known any more."""
    lost = []
    for sent, block in answered.transactions.items():
        receipt: Any = client.call("eth_getTransactionReceipt", sent)
        if receipt is None or block not in ("", receipt["blockHash"]):
            lost.append(f"transaction {sent}")
    for number, block in answered.blocks.items():
        if client.call("eth_getBlockByNumber", number, *SHORT)["hash"] != block:
            lost.append(f"block {number}")
    lost += [
        f"waiting transaction {each}"
        for each in answered.waiting
        if client.call("eth_getTransactionByHash", each) is None
    ]
    if int(client.call("eth_getBalance", EDITED, "latest"), 16) < answered.balance:
        lost.append("the edited balance")
    return lost


def live(folder: Path, longest: float, known: Answered) -> Answered:
    """One life: check what the last one answered, answer more, die."""
    answered = Answered(waiting=known.waiting, balance=known.balance, opened=known.opened)
    begun = time.perf_counter()
    with started(folder) as (process, url), closing(HttpClient(url, TIMEOUT)) as client:
        known.opened.append(time.perf_counter() - begun)
        lost = missing(client, known)
        if lost:
            raise SystemExit("\n".join(["lost:", *lost]))
        threads = [threading.Thread(target=work, args=(url, each, answered)) for each in DEEDS]
        for each in threads:
            each.start()
        time.sleep(random.uniform(0.0, longest))  # noqa: S311  # any moment will do
        process.kill()
        for each in threads:
            each.join()
    return answered


def main(arguments: list[str]) -> None:
    """Kill as often as asked, and say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.killing", description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.8, help="seconds a life may last")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder, known = Path(name), Answered()
        transactions = blocks = 0
        for _ in range(asked.times):
            known = live(folder, asked.longest, known)
            transactions += len(known.transactions)
            blocks += len(known.blocks)
        live(folder, 0.0, known)
        with closing(sqlite3.connect(folder / "test" / "chain.sqlite")) as file:
            (state,) = file.execute("PRAGMA integrity_check").fetchone()
            (height,) = file.execute("SELECT max(number) FROM blocks").fetchone()
    sys.stdout.write(
        f"killed {asked.times} times, opened {len(known.opened)} times, nothing lost: "
        f"{transactions} transactions, {blocks} blocks asked for and {known.balance} edits "
        f"answered; {height} blocks in a file whose integrity is {state}; "
        f"slowest start {max(known.opened):.1f} s\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
