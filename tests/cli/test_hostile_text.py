"""Every screen of the command line, when contracts, artifacts and other nodes send hostile text"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from devchain.cli.banner import print_banner
from devchain.cli.main import new_main_app
from devchain.cli.node_log import JsonLog, NodeLog, Terminal, TextLog
from devchain.client.http import Call, LocalClient
from devchain.client.views import Notation
from devchain.config import Config
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.server.events import RequestRefused, RequestServed, TransactionMined
from devchain.server.node_views import mined_view
from devchain.source.coverage_report import FileReport, Report, format_lcov, format_table
from devchain.testing.gas_report import COLUMNS
from devchain.testing.gas_report import format_table as format_gas_table
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.actions import deploy, send
from tests.bytecode import REVERT, error_payload, init_code
from tests.cli.conftest import Result

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07[bold red]x[/] [link=file:///]y[/link] \r\n\t\x00\x7f\x85\x9b31m"
    "\u200b\u200f\u202a\u202e\u2028\u2029\u2066\u2069\ufeff\ud800 :smile: \\x1b{} %s"
)
STYLE = re.compile("\x1b\\[[0-9;]*m")
HARMFUL = {"Cc", "Cf", "Cs", "Zl", "Zp"}
SIGNATURE = "f()(string)"
TX = "0x" + "11" * 32


def check(text: str, *, styled: bool = False) -> None:
    """No character of a text but line breaks acts on a terminal, and no style is a hostile one."""
    if styled:
        text = STYLE.sub("", text)
    found = {each for each in text if unicodedata.category(each) in HARMFUL} - {"\n"}
    assert not found, (found, text)
    assert "title" not in text or "[bold red]" in text


ARGUMENTS: dict[str, Sequence[Sequence[str]]] = {
    "call": [
        ["1"],
        [BOB_HEX, SIGNATURE],
        [BOB_HEX, "f()(string,string[],bytes)"],
        [BOB_HEX, HOSTILE],
    ],
    "check": [[BOB_HEX], [HOSTILE], [BOB_HEX, "--hardfork", HOSTILE], ["x" * 5_000]],
    "upgrade-report": [
        [BOB_HEX, "--hardfork", HOSTILE],
        [HOSTILE, "--hardfork", "reed"],
        [BOB_HEX, "--hardfork", "reed", "--json"],
    ],
    "rpc": [["eth_blockNumber"], ["web3_clientVersion"], [HOSTILE], ["a_b", HOSTILE]],
    "send": [
        ["1"],
        [BOB_HEX, "--from", ALICE_HEX, "--passphrase", "x"],
        [BOB_HEX, HOSTILE, "--from", ALICE_HEX],
    ],
    "mine": [[], [HOSTILE]],
    "snapshot": [[]],
    "fork list": [[], [HOSTILE]],
    "fork show": [[HOSTILE]],
    "fork clean": [[], [HOSTILE]],
    "revert": [["1"], [HOSTILE]],
    "watch": [["--once"], ["--once", "--json"], ["--once", "--account", HOSTILE]],
    "inspect chain": [[]],
    "inspect block": [[], [HOSTILE], ["latest", "--json"]],
    "inspect tx": [[TX], [HOSTILE], [TX, "--json"]],
    "inspect receipt": [[TX], [HOSTILE]],
    "inspect gas": [[TX], [HOSTILE], [TX, "--json"]],
    "debug": [[TX], [HOSTILE]],
    "inspect account": [[BOB_HEX], [HOSTILE]],
    "inspect code": [[BOB_HEX], [HOSTILE]],
    "inspect storage": [[BOB_HEX], [BOB_HEX, "0"], [BOB_HEX, HOSTILE], [BOB_HEX, "--json"]],
    "inspect logs": [[], ["--address", HOSTILE], ["--json"]],
    "inspect mempool": [[]],
    "accounts list": [[], ["--json"]],
    "accounts new": [["--passphrase", HOSTILE]],
    "accounts import": [["--key", HOSTILE, "--passphrase", "x"]],
    "accounts unlock": [[ALICE_HEX, "--passphrase", "x"], [HOSTILE, "--passphrase", "x"]],
    "accounts lock": [[ALICE_HEX], [HOSTILE]],
    "methods": [[], [HOSTILE]],
    "stubs": [["/nowhere/" + HOSTILE.replace("\0", "").replace("\ud800", "")]],
    "logs": [[HOSTILE]],
    "stop": [[HOSTILE]],
    "ps": [[]],
    "btc mine": [["1"], [HOSTILE]],
    "btc send": [[HOSTILE, "1btc"], ["x", HOSTILE]],
    "btc address": [[]],
    "btc balance": [[], [HOSTILE]],
    "btc tx": [[TX], [HOSTILE]],
    "peg-in": [[ALICE_HEX, "1btc"], [HOSTILE, HOSTILE]],
    "peg-out": [[ALICE_HEX, "1btc"], [HOSTILE, HOSTILE]],
    "peg status": [[], ["--json"]],
    "start": [
        ["--load-state", HOSTILE.replace("\0", "").replace("\ud800", ""), "--port", "0"],
        ["--artifacts", HOSTILE.replace("\0", "").replace("\ud800", ""), "--port", "0"],
        ["--hardfork", HOSTILE],
    ],
    "config init": [["--file", "/nowhere/" + HOSTILE.replace("\0", "").replace("\ud800", "")]],
    "config show": [["--client-version", HOSTILE.replace("\0", "").replace("\ud800", "")]],
}
"""Arguments to run each command with."""

ANSWERS: dict[str, object] = {
    "eth_chainId": "0x21",
    "eth_accounts": [ALICE_HEX],
    "eth_call": "0x" + error_payload(HOSTILE.encode("utf-8", "replace").decode())[4:].hex(),
}
TRANSACTION = {
    "hash": TX, "from": ALICE_HEX, "to": BOB_HEX, "gas": "0x64", "input": "0x1234", "nonce": "0x1",
    "value": "0x1", "gasPrice": "0x1", "type": "0x0", "blockNumber": "0x1",
}  # fmt: skip
RECEIPT = {
    "transactionHash": TX, "status": "0x0", "blockNumber": "0x1", "gasUsed": "0x1", "from": "",
    "effectiveGasPrice": "0x1", "root": "0x", "logs": [], "contractAddress": None,
    "transactionIndex": "0x0", "blockHash": TX, "cumulativeGasUsed": "0x1",
}  # fmt: skip


def leaves(command: Any, name: str = "") -> Iterator[str]:
    """Every command that is not a group, by its words."""
    if not hasattr(command, "commands"):
        yield name
    for each, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, f"{name} {each}".strip())


def test_every_command_is_walked() -> None:
    """A new command has to be added above."""
    assert set(leaves(typer.main.get_command(new_main_app()))) == set(ARGUMENTS)


class HostileNode:
    """A node like that of a client, which spoils the texts in some of its results."""

    def __init__(self, client: LocalClient, spoil: Callable[[str, Any], Any]) -> None:
        self._client = client
        self._spoil = spoil

    def call(self, method: str, *params: object) -> Any:
        """The spoiled result of a call."""
        try:
            result = self._client.call(method, *params)
        except RpcFailure as failure:
            result = {
                "eth_getTransactionByHash": TRANSACTION,
                "eth_getTransactionReceipt": RECEIPT,
            }.get(method)
            if result is None:
                raise RpcFailure(failure.code, HOSTILE + failure.message, HOSTILE) from None
        if method in ("eth_getTransactionByHash", "eth_getTransactionReceipt") and result is None:
            result = TRANSACTION if method.endswith("Hash") else RECEIPT
        return self._spoil(method, result)

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """The results of some calls, with errors in their places."""
        return [self._outcome(*each) for each in calls]

    def _outcome(self, method: object, *params: object) -> Any:
        try:
            return self.call(str(method), *params)
        except RpcFailure as failure:
            return failure


def spoil_all(_: str, result: Any) -> Any:
    """Every text is a hostile one, after what it was."""
    if isinstance(result, dict):
        return {key: spoil_all("", value) for key, value in result.items()}
    if isinstance(result, list):
        return [spoil_all("", each) for each in result]
    return result + HOSTILE if isinstance(result, str) else result


def spoil_texts(method: str, result: Any) -> Any:
    """Every text that is not hex, and what is returned by calls, are hostile."""
    if method in ANSWERS:
        return ANSWERS[method]
    if isinstance(result, dict):
        return {key: spoil_texts("", value) for key, value in result.items()}
    if isinstance(result, list):
        return [spoil_texts("", each) for each in result]
    is_text = isinstance(result, str) and not result.startswith("0x")
    return HOSTILE if is_text else result


def spoil_errors(method: str, result: Any) -> Any:
    """Calls and sending fail with hostile errors."""
    if method in ("eth_call", "eth_sendTransaction", "eth_estimateGas", "evm_snapshot"):
        payload = error_payload(HOSTILE.encode("utf-8", "replace").decode())
        raise RpcFailure(3, HOSTILE, "0x" + payload.hex())
    return result


def refuse(_: str, result: Any) -> Any:
    """Everything fails with a hostile error."""
    raise RpcFailure(-32000, HOSTILE, HOSTILE)


@pytest.mark.parametrize(
    ("spoil", "colors"),
    [(spoil_all, True), (spoil_texts, False), (spoil_errors, True), (refuse, False)],
)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_screens(
    client: LocalClient,
    run_on: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    colors: bool,
    spoil: Callable[[str, Any], Any],
) -> None:
    """Commands show hostile text escaped, with and without colors."""
    monkeypatch.setenv("FORCE_COLOR" if colors else "NO_COLOR", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for arguments in ARGUMENTS[name]:
        node: Any = HostileNode(client, spoil)
        result = run_on(node, *name.split(), *arguments)

        check(result.out, styled=colors)
        check(result.err, styled=colors)


def test_what_is_shown(client: LocalClient, run_on: Callable[..., Result]) -> None:
    """The text is there, escaped: what is checked above is not the absence of any text."""
    node: Any = HostileNode(client, spoil_errors)
    assert "\\x1b[2J\\x1b]0;title" in run_on(node, "inspect", "tx", TX).out
    assert "\\u202a\\u202e" in run_on(node, "call", BOB_HEX, SIGNATURE).err
    node = HostileNode(client, spoil_texts)
    assert "\\u2066\\u2069" in run_on(node, "call", BOB_HEX, SIGNATURE).out
    assert "[bold red]x[/]" in run_on(node, "inspect", "chain").out


class TestContracts:
    """Names of artifacts, values in logs, reasons and console lines of a real chain."""

    @pytest.fixture
    def hostile(self, node: Node) -> Node:
        """A node with contracts that have hostile names and texts."""
        text = HOSTILE.encode("utf-8", "replace").decode()
        abi = [
            {"type": "error", "name": "Error2", "inputs": [{"name": text, "type": "string"}]},
            {"type": "function", "name": text, "inputs": [], "outputs": []},
        ]
        reverting = deploy(node, REVERT)
        for artifact in parse_artifacts(
            {
                "contractName": text,
                "abi": abi,
                "bytecode": "0x" + init_code(REVERT).hex(),
                "deployedBytecode": "0x" + REVERT.hex(),
            }
        ):
            node.artifacts.add(artifact)
            node.artifacts.add_deployed(artifact, reverting, b"")
        send(node, reverting, error_payload(text))
        return node

    @pytest.mark.parametrize("command", ["tx", "receipt"])
    def test_failed_transaction(
        self, hostile: Node, devchain: Callable[..., Result], command: str
    ) -> None:
        """A reason and the names in a call tree make no lines of their own."""
        tx = hostile.chain.head.transactions[0]
        result = devchain("inspect", command, f"0x{tx.hash.hex()}")

        check(result.out)
        assert "\\x1b[2J" in result.out
        if command == "tx":
            tree = hostile.call_tree(tx.hash)
            check(tree)
            assert len(tree.split("\n")) == 2

    def test_log(self, hostile: Node) -> None:
        """So do those in the log of a node."""
        [receipt] = hostile.chain.head.receipts
        failure = hostile.explainer.failure_text(receipt)
        called = hostile.explainer.call_title(hostile.chain.head, receipt)
        view = mined_view(hostile.chain.head, receipt, Notation(31), called, failure)
        event = TransactionMined("test", view, printed=(HOSTILE, HOSTILE))
        for styled in (False, True):
            stream = io.StringIO()
            log = TextLog(stream, Terminal(styled, can_rewrite=False, columns=60))
            log(event)
            check(stream.getvalue(), styled=styled)
        stream = io.StringIO()
        JsonLog(stream, lambda: 0)(event)
        assert stream.getvalue().isascii()


@pytest.mark.parametrize("colors", [False, True])
def test_node_log(colors: bool) -> None:
    """Names of methods, messages, and what Python logs are escaped in a node's log."""
    stream = io.StringIO()
    log: NodeLog = TextLog(stream, Terminal(colors, can_rewrite=False, columns=70))
    served = {"network": "test", "method": HOSTILE, "seconds": 0.1, "via": "ipc"}
    for event in (
        RequestServed(**served, code=None, message="", printed=(HOSTILE,)),  # type: ignore[arg-type]
        RequestServed(**served, code=1, message=HOSTILE, printed=()),  # type: ignore[arg-type]
        RequestRefused(403, HOSTILE),
    ):
        log(event)
    log.write_error(HOSTILE)
    log.close()

    check(stream.getvalue(), styled=colors)


def test_banner() -> None:
    """Values of the configuration are escaped in the banner."""
    config = Config(derivation_path="m/44'/60'/0'/0/" + HOSTILE, mnemonic=HOSTILE)
    for colors in (False, True):
        stream = io.StringIO()
        node = Node()
        node.config = config
        print_banner(stream, [node], f"http://{HOSTILE}", HOSTILE)
        check(stream.getvalue(), styled=colors)


def test_tables() -> None:
    """Names of files and contracts are escaped in the tables of coverage and gas."""
    report = Report({HOSTILE: FileReport({1: 1}, {HOSTILE: (1, 1)})})
    for line in [*format_table(report), *format_lcov(report).removesuffix("\n").split("\n")]:
        check(line)
        assert "\n" not in line
    assert sum(line.startswith("SF:") for line in format_lcov(report).split("\n")) == 1

    rows = {HOSTILE: dict.fromkeys(COLUMNS, 2)}
    for line in format_gas_table(rows):
        check(line)
        assert "\n" not in line
