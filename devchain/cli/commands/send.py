"""`devchain send`: send a transaction and wait for its receipt."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import contract_calls, options, output
from devchain.cli.view_rows import (
    amounts_in_coins,
    reader_of,
    show_receipt,
    warn_of_checksums,
    warn_of_missing_code,
    warn_of_missing_opcodes,
)
from devchain.client.http import Client
from devchain.client.views import CallView, Json, TransactionView
from devchain.errors import DevchainError, InvalidInput, RpcFailure
from devchain.files import read_file
from devchain.text import shorten

if TYPE_CHECKING:
    from devchain.contracts.abi import Entry
    from devchain.contracts.artifacts import Artifact

WOULD_FAIL = re.compile(
    "revert|vm exception|gas required exceeds|out of gas|invalid opcode", re.IGNORECASE
)
"""Error messages of eth_estimateGas, on nodes of any kind, for a transaction that would fail.

Their codes differ, and are often the same as for a request that the node rejects.
"""

NO_KEY = "no key is held"
"""Devchain's refusal to sign for an account that is none of its own."""

METHOD_NOT_FOUND = -32601
SIGN_ELSEWHERE = (
    "sign the transaction with a wallet or library that has the key, and send it with "
    "`devchain rpc eth_sendRawTransaction 0x...`"
)

ADDRESS = re.compile("0x[0-9a-fA-F]{40}")
HASH = re.compile("0x[0-9a-fA-F]{64}")

FIRST_POLL, MAX_POLL = 0.05, 1.0

CREATED = "With --create: a contract's name or JSON file, then its constructor's arguments."
To = Annotated[str | None, typer.Argument(help=f"{options.ACCOUNT} {CREATED}", metavar="TO")]
Function = Annotated[
    str | None, typer.Argument(help=contract_calls.FUNCTION_HELP, metavar="FUNCTION")
]
Data = Annotated[
    str | None, typer.Option("--data", help="Data in hex, or @FILE that has it.", metavar="HEX")
]
Create = Annotated[
    bool, typer.Option("--create", help="Create a contract: TO, or --data as its init code.")
]
Libraries = Annotated[
    list[str] | None,
    typer.Option(
        "--library", help="Library that the contract uses; repeatable.", metavar="NAME=ADDRESS"
    ),
]
GasPrice = Annotated[
    int | None,
    typer.Option("--gas-price", help="Default: the node's.", metavar="AMOUNT", parser=options.wei),
]
Nonce = Annotated[
    int | None,
    typer.Option(
        "--nonce", help="Default: the sender's next.", parser=options.parse_whole(), metavar="N"
    ),
]
Timeout = Annotated[
    float, typer.Option("--timeout", help="Wait so long at most.", min=0.0, metavar="SECONDS")
]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Print the hash; do not wait.")]


def send(
    to: To = None,
    function: Function = None,
    arguments: contract_calls.Arguments = None,
    sender: contract_calls.Sender = None,
    value: contract_calls.Value = None,
    data: Data = None,
    create: Create = False,
    artifacts: contract_calls.Artifacts = None,
    libraries: Libraries = None,
    gas: contract_calls.Gas = None,
    gas_price: GasPrice = None,
    nonce: Nonce = None,
    passphrase: options.Passphrase = None,
    timeout: Timeout = 60.0,
    no_wait: NoWait = False,
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Send a transaction or create a contract, and show the receipt.

    If the transaction fails, the reason is shown and the exit code is 1. Names of contracts and
    functions are those of the project in this folder, and of the node's --artifacts.

    Examples:
      devchain send 1 --value 1.5rbtc
      devchain send 0x77045e71a7a2c50903d88e564cd72fab11e82051 set 42
      devchain send --create Vault 3600
      devchain send --create --data @contract.hex
    """
    node = options.connect(url)
    entry: Entry | None = None
    contract: Artifact | None = None
    linked = _libraries(libraries or [])
    if create:
        words = [word for word in (to, function, *(arguments or [])) if word is not None]
        code, contract = _creation(words, data, artifacts, linked, node)
        warn_of_checksums(node, sender, *(arguments or []), *linked.values())
        request = {**contract_calls.sent_from(node, sender), "data": code}
        for library in linked.values():
            warn_of_missing_code(node, library)
        parts = (contract.creation, contract.runtime) if contract else ()
        templates = [part.template for part in parts] or [bytes.fromhex(code[2:])]
        warn_of_missing_opcodes(node, *templates)
        with suppress(RpcFailure):  # it is another node
            if contract and node.call("devchain_describeCalls", [{"input": code}]) == [None]:
                node.call("devchain_addArtifacts", contract.to_json())
    elif artifacts is not None or libraries:
        option = "--library" if libraries else "--artifacts"
        raise typer.BadParameter(f"{option} goes with --create")
    else:
        request, entry = _called(node, to, function, arguments or [], data, sender)
    if "from" not in request:
        raise InvalidInput(
            "this node has no accounts: create one with `devchain accounts new` if it keeps keys, "
            f"else {SIGN_ELSEWHERE}"
        )
    for member, number in (("gas", gas), ("gasPrice", gas_price), ("nonce", nonce)):
        if number is not None:
            request[member] = hex(number)
    request["value"] = hex(value or 0)
    _send(node, request, None if no_wait else timeout, entry, passphrase, as_json=as_json)


def _called(
    node: Client,
    to: str | None,
    function: str | None,
    arguments: Sequence[str],
    data: str | None,
    sender: str | None,
) -> tuple[Json, Entry | None]:
    if to is None:
        raise typer.BadParameter("give a recipient, or create a contract with --create")
    try:
        to = options.parse_account(to)
    except typer.BadParameter as wrong:
        raise typer.BadParameter(wrong.message, param_hint="TO") from None
    if function is None:
        function = f"0x{_read_data(data or '0x').hex()}"
    elif data is not None:
        raise typer.BadParameter("give a signature or --data, not both")
    request, entry = contract_calls.read_call(node, to, function, arguments, sender)
    if request["data"] != "0x":
        warn_of_missing_code(node, request["to"])
    return request, entry


def _send(
    node: Client,
    request: Json,
    timeout: float | None,
    function: Entry | None,
    passphrase: str | None,
    *,
    as_json: bool,
) -> None:
    # Without a timeout only the hash is printed. `function` is what it calls, if that is known.
    reader = reader_of(node)
    with amounts_in_coins(node):
        request = _with_gas(node, request, function)
        tx_hash = _submit(node, request, passphrase)
    if timeout is None:
        output.write_line(tx_hash)
        return
    receipt = _wait_for_receipt(node, tx_hash, timeout)
    sent = {**request, "hash": tx_hash, "input": request.get("data", "0x")}
    tx = TransactionView.of(sent, receipt, reader.notation(receipt))
    if as_json:
        output.write_json(receipt)
    else:
        show_receipt(tx, reader.logs(receipt.get("logs") or []), CallView())  # the error has it
    if tx.failed:
        call = reader.explain(tx)
        reason, lines = contract_calls.failure_text(node, call, function, request.get("to", ""))
        output.write_error(f"the transaction failed: {reason}", lines)
        raise typer.Exit(1)


def _submit(node: Client, request: Json, passphrase: str | None) -> str:
    # Hardhat answers with an error if it was mined and failed; its hash is in the error's data.
    try:
        if passphrase is not None:
            return str(node.call("personal_sendTransaction", request, passphrase))
        return str(node.call("eth_sendTransaction", request))
    except RpcFailure as failure:
        tx_hash = failure.data.get("txHash") if isinstance(failure.data, dict) else None
        if isinstance(tx_hash, str) and HASH.fullmatch(tx_hash):
            return tx_hash
        if NO_KEY in failure.message:
            raise InvalidInput(
                f"{failure.message}: import it with `devchain accounts import`, or send without it "
                f"after `devchain rpc hardhat_impersonateAccount {request['from']}`"
            ) from None
        if failure.code != METHOD_NOT_FOUND:
            raise
        raise InvalidInput(f"this node signs no transactions: {SIGN_ELSEWHERE}") from None


def _libraries(written: list[str]) -> dict[str, str]:
    libraries: dict[str, str] = {}
    for option in written:
        name, equals, address = option.rpartition("=")
        if not (name and equals and ADDRESS.fullmatch(address)):
            raise typer.BadParameter(
                f"--library: {option[: options.MAX_SHOWN]!r} is not like Lib=0x..., with the "
                "address of the deployed library"
            )
        if name in libraries:
            raise typer.BadParameter(f"--library: {name} is given twice")
        libraries[name] = address
    return libraries


def _creation(
    words: Sequence[str],
    data: str | None,
    artifacts: Path | None,
    libraries: Mapping[str, str],
    node: Client,
) -> tuple[str, Artifact | None]:
    # The init code in hex, and the artifact of the contract if there is one.
    what, *arguments = words or [""]
    if ADDRESS.fullmatch(what):
        raise typer.BadParameter("give a recipient or --create, not both")
    if data is None:
        if not what:
            raise typer.BadParameter(
                "--create needs a contract: its name, its JSON file, or its init code in --data"
            )
        if options.HEX.fullmatch(what):
            raise typer.BadParameter(
                f"init code goes into --data: `devchain send --create --data {shorten(what, 20)}`"
            )
        addresses = {name: bytes.fromhex(address[2:]) for name, address in libraries.items()}
        code, contract = contract_calls.init_code(what, arguments, artifacts, addresses, node)
        return f"0x{code.hex()}", contract
    if artifacts is not None or libraries:
        option = "--library" if libraries else "--artifacts"
        raise typer.BadParameter(f"{option} goes with a contract's name, not with --data")
    code = _read_data(data)
    if what:
        if not what.startswith("constructor("):
            raise typer.BadParameter(
                f"{what[: options.MAX_SHOWN]!r} is no constructor: after init code in --data write "
                "its arguments like 'constructor(uint256,string)' 5 hello"
            )
        constructor = contract_calls.parse_signature(what)
        code += contract_calls.encode(constructor.inputs, arguments, node, constructor.described)
    if not code:
        raise typer.BadParameter(
            "--data is empty: give the init code of the contract, or a recipient TO, no --create"
        )
    return f"0x{code.hex()}", None


def _read_data(data: str) -> bytes:
    text, what = data, f"{data[: options.MAX_SHOWN]} is not data in hex"
    if data.startswith("@"):
        file = data[1:]
        what = f"{file} does not contain data in hex"
        try:
            text = read_file(file, pipes=True).decode()
        except OSError as error:
            raise typer.BadParameter(f"--data: cannot read {file}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise typer.BadParameter(f"--data: {what} but bytes") from None
    try:
        return bytes.fromhex(text.strip().removeprefix("0x"))
    except ValueError:
        raise typer.BadParameter(f"--data: {what}: want 0x and pairs of hex digits") from None


def _with_gas(node: Client, request: Json, function: Entry | None) -> Json:
    request = {**request, "gasPrice": request.get("gasPrice") or node.call("eth_gasPrice")}
    if "gas" in request:
        return request
    try:
        return {**request, "gas": node.call("eth_estimateGas", request)}
    except RpcFailure as failure:
        if not WOULD_FAIL.search(failure.message):
            raise
        call = reader_of(node).explain_call(failure, request, "pending")
        reason, lines = contract_calls.failure_text(node, call, function, request.get("to", ""))
        raise output.DetailedError(
            f"the transaction would fail: {reason} (--gas sends it anyway)", lines
        ) from None


def _mines_on_request(node: Client) -> bool:
    # Development nodes alone have both methods: others mine without being asked.
    with suppress(RpcFailure):
        automatic = node.call("hardhat_getAutomine")
        return automatic is False and node.call("anvil_getIntervalMining") is None
    return False


def _wait_for_receipt(node: Client, tx_hash: str, timeout: float) -> Json:
    deadline = time.monotonic() + timeout
    pause = FIRST_POLL
    is_first = True
    while True:
        receipt = node.call("eth_getTransactionReceipt", tx_hash)
        if receipt is not None:
            return dict(receipt)
        if is_first and _mines_on_request(node):
            output.write_note(
                f"{tx_hash} was sent. This node mines on request: `devchain mine` in another "
                "terminal mines it."
            )
        is_first = False
        left = deadline - time.monotonic()
        if left <= 0:
            raise DevchainError(
                f"{tx_hash} was sent, but not mined within {timeout:g} s: look again with "
                "`devchain inspect tx` or `devchain inspect mempool`, or mine it with "
                "`devchain mine`"
            )
        time.sleep(min(pause, left))
        pause = min(pause * 2, MAX_POLL)
