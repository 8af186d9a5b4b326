"""Recorded answers of a Rootstock node, and a player that asks a node in process for the same.

A case is a sender with a fixed balance, its signed transactions, what the real node answered to
each, and the accounts that it left. No case depends on another one or on the block it is in.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import rlp

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.types import ZERO_ADDRESS

FOLDER = Path(__file__).parents[2] / "shared/conformance/rskj"
IS_AVAILABLE = FOLDER.is_dir()

FUNDS = 10**16
"""Wei that the sender of a case has before its first transaction."""
SOME_WEI = 1_000_003
LONGEST, LONGEST_CODE = 512, 64
"""Bytes up to which a value is recorded as it is; longer ones by their hash."""
ANSWERS = ("call", "estimate", "status", "gasUsed", "contractAddress", "logs", "refused")
"""What is compared of a transaction."""
MASKED = "masked"
"""Stands for an answer that depends on the chain."""

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """Transactions of one sender, and what the recorded node answered."""

    name: str
    sender: str
    transactions: list[Answer]
    expected: list[Answer]
    after: Mapping[str, Answer]
    slots: int


def load_cases(file: str, part: int = 0, parts: int = 1) -> list[Case]:
    """The cases of a file, or of one of so many equal parts of it."""
    lines = gzip.decompress((FOLDER / f"{file}.jsonl.gz").read_bytes()).splitlines()
    records = map(json.loads, lines[part::parts])
    return [
        Case(
            record["id"],
            record["from"],
            record["txs"],
            record["expect"],
            record["after"],
            record.get("slots", 4),
        )
        for record in records
    ]


class Difference(NamedTuple):
    """An answer that is not the recorded one: of a transaction, by index, or of an account."""

    case: str
    place: int | str
    what: str
    wanted: object
    found: object


def config(engine: str = "fast") -> Config:
    """The configuration of a node that answers as the recorded one, however long it takes."""
    return Config(
        network="local", like="rskj", engine=engine, request_timeout=0, execution_timeout=0
    )


class Player:
    """Plays cases on a node of `config`, through its dispatcher."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._dispatcher = Dispatcher(node)

    def ask(self, method: str, *params: object) -> Answer:
        """The response to a request."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        response = self._dispatcher.serve_now(json.dumps(request).encode())
        answer: Answer = json.loads(response or b"")
        return answer

    def prepare(self, cases: Iterable[Case] = ()) -> None:
        """Give senders their funds, and the account of address 0, which cases read, too.

        On the recorded chains other cases had sent it some wei.
        """
        self.node.set_balance(ZERO_ADDRESS, SOME_WEI)
        for case in cases:
            self.node.set_balance(case.sender, FUNDS)

    def play(self, case: Case) -> list[Difference]:
        """Play a whole case of `prepare`."""
        found = [each for i in range(len(case.transactions)) for each in self.step(case, i)]
        return found + list(self.check_accounts(case))

    def step(self, case: Case, index: int) -> Iterator[Difference]:
        """Call a transaction, send it, and compare the answers with the recorded ones."""
        wanted = case.expected[index]
        found = self.answers(case.transactions[index], case.sender, "estimate" in wanted)
        for what in ANSWERS:
            if wanted.get(what) not in (MASKED, found.get(what)):
                yield Difference(case.name, index, what, wanted.get(what), found.get(what))

    def answers(self, tx: Answer, sender: str, estimates: bool = False) -> dict[str, Any]:
        """Call a transaction and send it: the answers in the form of the recorded ones."""
        call = {key: tx[key] for key in ("data", "value", "gas", "gasPrice")} | {"from": sender}
        if tx["to"]:
            call["to"] = tx["to"]
        found: dict[str, Any] = {"call": _result(self.ask("eth_call", call, "latest"))}
        if estimates:
            del call["gas"]
            found["estimate"] = _result(self.ask("eth_estimateGas", call, "latest"))
        sent = self.ask("eth_sendRawTransaction", "0x" + _encode(tx).hex())
        receipt = self.ask("eth_getTransactionReceipt", tx["hash"])["result"]
        if receipt is None:
            return found | {"refused": _error(sent["error"])}
        if receipt["contractAddress"]:
            found["contractAddress"] = receipt["contractAddress"]
        logs = [[log["address"], log["topics"], _short(log["data"])] for log in receipt["logs"]]
        return found | {"status": receipt["status"], "gasUsed": receipt["gasUsed"], "logs": logs}

    def check_accounts(self, case: Case) -> Iterator[Difference]:
        """Compare the accounts after a case with the recorded ones."""
        for address, wanted in case.after.items():
            found = self.account(address, case.slots)
            for what in sorted({*wanted, *found}):
                if wanted.get(what) != found.get(what):
                    yield Difference(case.name, address, what, wanted.get(what), found.get(what))

    def account(self, address: str, slots: int) -> dict[str, Any]:
        """Balance, nonce, code and first slots of an account, those that are not empty."""
        found: dict[str, Any] = {
            "balance": self.ask("eth_getBalance", address, "latest")["result"],
            "nonce": self.ask("eth_getTransactionCount", address, "latest")["result"],
        }
        code = self.ask("eth_getCode", address, "latest")["result"]
        if code != "0x":
            found["code"] = _short(code, LONGEST_CODE)
        words = {
            hex(slot): int(self.ask("eth_getStorageAt", address, hex(slot), "latest")["result"], 16)
            for slot in range(slots)
        }
        storage = {slot: hex(word) for slot, word in words.items() if word}
        return found | ({"storage": storage} if storage else {})


def _encode(tx: Answer) -> bytes:
    """The signed transaction as it is sent."""
    signature = bytes.fromhex(tx["sig"][2:])
    r, s, v = (int.from_bytes(each) for each in (signature[:32], signature[32:64], signature[64:]))
    numbers = {key: int(tx[key], 16) for key in ("gasPrice", "gas", "value")}
    nonce = int(tx["nonce"], 16) if isinstance(tx["nonce"], str) else tx["nonce"]
    to, data = (bytes.fromhex((tx[key] or "0x")[2:]) for key in ("to", "data"))
    fields = [nonce, numbers["gasPrice"], numbers["gas"], to, numbers["value"], data, v, r, s]
    return bytes(rlp.encode(fields))


def _result(response: Answer) -> Any:
    """The result of a response, or its error, as they are recorded."""
    if "error" in response:
        return {"error": _error(response["error"])}
    return _short(response["result"])


def _error(error: Answer) -> list[Any]:
    data = error.get("data")
    return [error["code"], error["message"], *([] if data is None else [_short(data)])]


def _short(data: str, longest: int = LONGEST) -> str:
    """Hex data, replaced by hash and length if they are long."""
    size = len(data) // 2 - 1
    if size <= longest:
        return data
    return f"sha256:{hashlib.sha256(bytes.fromhex(data[2:])).hexdigest()}:{size}"
