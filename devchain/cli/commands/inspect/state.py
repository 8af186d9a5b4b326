"""`devchain inspect account`, `code` and `storage`: the state of an address at a block."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from devchain.cli import options, output
from devchain.cli.view_rows import fact_row, reader_of, warn_of_checksums
from devchain.client.http import Client, all_results
from devchain.client.project_names import implementations_on
from devchain.client.views import Json, amount_fact, data_bytes, number, size
from devchain.errors import InvalidInput, RpcFailure
from devchain.text import MAX_UINT256

WORD = 32
MAX_DIGITS = 66
"""Digits of a number that are shown: as many as fit on its line beside the label."""

Slot = Annotated[
    str | None,
    typer.Argument(help="First slot, decimal or 0x hex. Default: variables.", metavar="SLOT"),
]
Count = Annotated[
    int | None,
    typer.Option(
        "--count",
        help="Slots to read, 1 to 1,000. Default: 1.",
        parser=options.parse_whole(1, 1_000),
        metavar="N",
    ),
]


def account(
    address: options.AccountOrAddress,
    block: options.AtBlock = "latest",
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Show an account: its balance, nonce and code, now or at a block.

    Examples:
      devchain inspect account 0
      devchain inspect account 0x77045e71a7a2c50903d88e564cd72fab11e82051 --block 12
    """
    node = options.connect(url)
    at = options.block_reference(block)
    address = options.account_address(node, address)
    members = ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
    balance, nonce, code = (node.call(name, address, at) for name in members)
    if as_json:
        answer = {"address": address, "balance": balance, "nonce": nonce, "code": code}
        output.write_json(answer)
        return
    from eth_hash.auto import keccak

    warn_of_checksums(node, address)
    view = reader_of(node).notation({"address": address}).account(address)
    contract_code = data_bytes(code)
    where = block
    if block not in options.TAGS:
        where = f"block {at['blockHash'] if isinstance(at, dict) else f'{number(at):,}'}"
    kind = view.name or ("contract" if contract_code else "account")
    output.write_title(view.address, kind, f"at {where}")
    output.write_fields(
        [
            fact_row(amount_fact("Balance", number(balance) or 0, view.coin)),
            ("Nonce", [f"{number(nonce) or 0:,}"]),
            ("Code", [size(len(contract_code)) if contract_code else "none"]),
            ("Code hash", [f"0x{keccak(contract_code).hex()}"] if contract_code else None),
        ]
    )


def code(
    address: options.AccountOrAddress,
    block: options.AtBlock = "latest",
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Print the code of a contract as hex; 0x if there is none.

    Examples:
      devchain inspect code 0x77045e71a7a2c50903d88e564cd72fab11e82051
      devchain inspect code $CONTRACT > contract.hex
    """
    node = options.connect(url)
    address = options.account_address(node, address)
    warn_of_checksums(node, address)
    code_text = node.call("eth_getCode", address, options.block_reference(block))
    if as_json:
        output.write_json(code_text)
    else:
        output.write_line(str(code_text))


def storage(
    address: options.AccountOrAddress,
    slot: Slot = None,
    count: Count = None,
    block: options.AtBlock = "latest",
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Show the variables of a contract, or slots of its storage, 32 bytes each.

    Variables need a devchain node with an artifact that has a storage layout (solc's output
    `storageLayout`, vyper's `layout`). Of mappings those are shown whose keys the newest
    transactions used. Other slots are shown as hex, and as text or a number.

    Examples:
      devchain inspect storage 0x77045e71a7a2c50903d88e564cd72fab11e82051
      devchain inspect storage $CONTRACT 0 --count 8
    """
    wanted = "a slot's number, decimal or 0x hex; without one all variables are shown by name"
    first, at = int(options.quantity(slot or "0", wanted), 16), options.block_reference(block)
    slots = [hex(slot) for slot in range(first, min(first + (count or 1), MAX_UINT256 + 1))]
    node = options.connect(url)
    address = options.account_address(node, address)
    warn_of_checksums(node, address)
    asked = None if slot is None and count is None else slots
    described = [] if asked and as_json else _described(node, address, asked, at)
    if described and as_json:
        output.write_json(described)
        return
    if not described:
        answers = all_results(node, [("eth_getStorageAt", address, slot, at) for slot in slots])
        words = dict(zip(slots, answers, strict=True))
        if as_json:
            output.write_json(words)
            return
        described = [{"slot": name, "word": word} for name, word in words.items()]
    elif asked is None and not any(map(_has_variables, described)):
        _note_missing_layout(node, address)
    for stored in described:
        variables = [known for known in stored.get("variables") or [] if isinstance(known, dict)]
        _show_slot(number(stored.get("slot")) or 0, str(stored.get("word")), variables)
    if asked is None and not as_json:
        _note_fork(node, address)


def _has_variables(described: Json) -> bool:
    from devchain.contracts.storage_names import WELL_KNOWN

    return bool(described.get("variables")) and number(described.get("slot")) not in WELL_KNOWN


def _note_missing_layout(node: Client, address: str) -> None:
    try:
        running = [address, *implementations_on(node, address)]
        names = node.call("devchain_nameContracts", running)
    except RpcFailure:
        return
    known = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    if known:
        output.write_note(
            f"No variable of {known[-1]} is known: its artifact may lack the compiler's "
            'storageLayout, which Foundry writes with extra_output = ["storageLayout"], Hardhat 2 '
            'with outputSelection: { "*": { "*": ["storageLayout"] } }.'
        )


def _note_fork(node: Client, address: str) -> None:
    from devchain.contracts.storage_names import fork_note

    with suppress(RpcFailure):
        metadata = node.call("hardhat_metadata")
        fork = metadata.get("forkedNetwork") if isinstance(metadata, dict) else None
        block = number(fork.get("forkBlockNumber")) if isinstance(fork, dict) else None
        if block is not None and node.call("eth_getCode", address, hex(block)) != "0x":
            output.write_note(fork_note(block))


def _described(
    node: Client, address: str, slots: list[str] | None, at: str | dict[str, str]
) -> list[Json]:
    try:
        answer = node.call("devchain_describeStorage", address, slots, at)
    except RpcFailure as failure:
        if failure.code not in options.UNSUPPORTED:
            raise
        return []
    return [slot for slot in answer if isinstance(slot, dict)] if isinstance(answer, list) else []


def _show_slot(slot: int, word: str, variables: Sequence[Json] = ()) -> None:
    label = f"Slot {slot}"
    if len(label) >= output.LABEL_WIDTH:
        output.write_line((f"Slot {slot:#x}", output.FAINT))
        label = ""
    for variable in variables:
        declared = f"{variable.get('type')} ", output.FAINT
        output.write_field(
            label, declared, (str(variable.get("name")), output.NAME), f" = {variable.get('value')}"
        )
        label = ""
    if not variables:
        output.write_field(label, word)
        if meaning := _word_meaning(word):
            output.write_field("", (meaning, output.FAINT))


def _word_meaning(value: str) -> str:
    try:
        word = data_bytes(value)
    except InvalidInput:
        return ""
    if len(word) == WORD and word[0] and not word[-1] % 2 and 0 < word[-1] // 2 < WORD:
        length = word[-1] // 2
        with suppress(UnicodeDecodeError):
            text = word[:length].decode()
            if not any(word[length:-1]) and text.isprintable():
                return json.dumps(text, ensure_ascii=False)
    digits = str(int.from_bytes(word, "big"))
    return digits if len(digits) <= MAX_DIGITS else ""
