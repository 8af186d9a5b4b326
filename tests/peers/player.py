"""Makes the requests of `tests.peers.requests` on a node, and writes down what it answers.

`python -m tests.peers.player anvil=http://127.0.0.1:8545` records the answers of `anvil` again. The
nodes are those of `NODES`, each just started with its defaults, ganache with `--deterministic`.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eth_account import Account

from devchain.config import MNEMONIC
from devchain.presets import PRESETS
from tests.bytecode import assemble, error_payload, init_code, word
from tests.peers.requests import PANIC_CODES, REQUESTS, Json, Request

RECORDED = Path(__file__).with_name("recorded.json")
HASH = re.compile("0x[0-9a-f]{64}(?![0-9a-f])")
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\b")
NUMBER = re.compile(r"(?<![0-9a-fA-Fx])[0-9]{6,}")
TIMEOUT = 20
"""Seconds to wait: ganache never answers some requests."""
PATIENCE = 300
"""How often to ask over HTTP for a receipt, which anvil has only a while after it has answered."""
OK = 200
UNCOMPARED = {"jsonrpc", "id", "stack", "name"}
"""Members that are left out; `stack` and `name` are of ganache's program."""
PANIC = bytes.fromhex("4e487b71")
CUSTOM = bytes.fromhex("ea07e92f")
REVERTS = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 REVERT")
CONTRACTS = {
    "$REVERTS": REVERTS,
    "$INVALID": assemble("INVALID"),
    "$LOOPS": assemble("again: @again JUMP"),
    "$STOPS": assemble("STOP"),
}
"""Runtime code of contracts: one reverts with its input, one has no valid opcode, …"""
GAS_PRICE = 2 * 10**9

NODES = {"hardhat2": "hardhat", "hardhat3": "hardhat", "anvil": "anvil", "ganache": "ganache"}
"""The nodes that are recorded, with the preset that is held to their answers."""

Ask = Callable[[bytes], tuple[int, bytes]]
"""A request's body, to the HTTP status and the body of its answer."""


def _hex(raw: bytes) -> str:
    return f"0x{raw.hex()}"


def _reverting_init() -> bytes:
    """Init code that reverts with a reason."""
    payload = error_payload("nope: reason")
    size = len(payload).to_bytes(1, "big").hex()
    code = bytes.fromhex(f"60{size}600c60003960{size}6000fd")
    return code + payload


VALUES = {
    "$REASON": _hex(error_payload("nope: reason")),
    "$CUSTOM": _hex(CUSTOM + word(42)),
    "$CUSTOM_SHORT": _hex(CUSTOM),
    **{f"$PANIC{code:02x}": _hex(PANIC + word(code)) for code in (*PANIC_CODES, 0x01, 0x11, 0x77)},
    "$REVERTING_INIT": _hex(_reverting_init()),
    "$RICH": hex(10**30),
    "$NOBODY": "0x" + "0b0d" * 10,
    "$UNKNOWN": "0x" + "ab" * 32,
}


class Player:
    """A node that is asked; the contracts are deployed when it is made."""

    def __init__(self, ask: Ask, mnemonic: str, *, patience: int = 1) -> None:
        self._ask = ask
        self._patience = patience
        Account.enable_unaudited_hdwallet_features()
        path = "m/44'/60'/0'/0/1"
        self._signer = Account.from_mnemonic(mnemonic, account_path=path)
        accounts = self._result("eth_accounts")
        self._values: dict[str, Any] = {
            **VALUES,
            "$A0": accounts[0],
            "$A1": accounts[1],
            "$A2": accounts[2],
        }
        self._chain_id = int(self._result("eth_chainId"), 16)
        for name, code in CONTRACTS.items():
            create = {"from": accounts[0], "data": _hex(init_code(code)), "gas": "0x30d40"}
            created = self._result("eth_sendTransaction", create)
            self._values[name] = self._receipt(created)["contractAddress"]

    def answer(self, request: Request) -> Json:
        """What the node answers, in terms that are equal in every run; what it mined besides.

        `answer` is the JSON, or `{"status", "text"}` if there is none; `mined` the status of a
        transaction that was mined, null for none.
        """
        before = int(self._result("eth_blockNumber"), 16)
        body = request.body or self._body(request.method, *map(self._filled, request.params))
        try:
            status, raw = self._ask(body)
        except TimeoutError:
            return {"answer": "none at all"}
        try:
            answer = json.loads(raw)
        except ValueError:
            answer = {"text": raw.decode()[:40]}
        found = {"answer": _general(answer)}
        if status != OK:
            found["status"] = status
        if request.method.startswith("eth_send"):
            found["mined"] = self._mined(before, raw)
        return found

    def _mined(self, before: int, answer: bytes) -> str | None:
        """The status of the transaction that the answer names, or that is in a new block."""
        named = HASH.search(answer.decode())
        if named:
            return str(self._receipt(named[0])["status"]) if self._receipt(named[0]) else None
        full_transactions = False
        block = self._result("eth_getBlockByNumber", "latest", full_transactions)
        if int(block["number"], 16) == before or not block["transactions"]:
            return None
        return str(self._receipt(block["transactions"][0])["status"])

    def _receipt(self, transaction_hash: str) -> Any:
        """The receipt, as soon as there is one; None if there is none in the end."""
        for _ in range(self._patience):
            found = self._result("eth_getTransactionReceipt", transaction_hash)
            if found:
                return found
        return None

    def _filled(self, value: Any) -> Any:
        if isinstance(value, dict) and "raw" in value:
            return self._signed(self._filled(value["raw"]))
        if isinstance(value, dict):
            return {name: self._filled(each) for name, each in value.items()}
        return self._values.get(value, value) if isinstance(value, str) else value

    def _signed(self, given: Json) -> str:
        signer = Account.create() if given.pop("poor", False) else self._signer
        nonce = self._result("eth_getTransactionCount", signer.address, "latest")
        fields = {
            "to": self._values["$STOPS"],
            "gas": 100_000,
            "gasPrice": GAS_PRICE,
            "nonce": int(nonce, 16),
            "chainId": self._chain_id,
            "value": 0,
            **given,
        }
        fields["to"] = bytes.fromhex(fields["to"][2:])
        if isinstance(fields["value"], str):
            fields["value"] = int(fields["value"], 16)
        return _hex(signer.sign_transaction(fields).raw_transaction)

    def _body(self, method: str, *params: Any) -> bytes:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return json.dumps(body).encode()

    def _result(self, method: str, *params: Any) -> Any:
        _, raw = self._ask(self._body(method, *params))
        answer = json.loads(raw)
        if "result" not in answer:
            raise AssertionError(f"{method}: {answer}")
        return answer["result"]


def _general(value: Any) -> Any:
    """A value without what differs between two runs or two machines."""
    if isinstance(value, dict):
        return {
            "<hash>" if HASH.fullmatch(key) else key: _general(each)
            for key, each in value.items()
            if key not in UNCOMPARED
        }
    if isinstance(value, list):
        return [_general(each) for each in value]
    if not isinstance(value, str):
        return value
    if HASH.fullmatch(value):
        return "<hash>"
    if value.startswith("0x"):
        return value
    return NUMBER.sub("<number>", ADDRESS.sub(lambda found: found[0].lower(), value))


def over_http(url: str) -> Ask:
    """Ask the node at a URL."""

    def ask(body: bytes) -> tuple[int, bytes]:
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(url, body, headers)  # noqa: S310  # of this machine
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310  # as above
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    return ask


def record(name: str, url: str) -> Json:
    """The answers of the node at a URL, by the name of their request."""
    mnemonic = PRESETS[NODES[name]].defaults.get("mnemonic", MNEMONIC)
    player = Player(over_http(url), mnemonic, patience=PATIENCE)
    return {each.name: player.answer(each) for each in REQUESTS}


def main() -> None:
    """Record the nodes that the command line names."""
    recorded = json.loads(RECORDED.read_text()) if RECORDED.is_file() else {}
    for argument in sys.argv[1:]:
        name, _, url = argument.partition("=")
        recorded[name] = record(name, url)
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
