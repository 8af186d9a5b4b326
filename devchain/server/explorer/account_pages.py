"""Pages of accounts: those of the node, and any other by address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from devchain.chain.slices import QUICK, SLOW, Slices
from devchain.chain.storage.address_index import AddressIndex, IndexedContract
from devchain.client.views import AccountView, TransactionView, short
from devchain.node.contract_storage import contracts_at, implementations, read_call
from devchain.node.tokens import Token, balance
from devchain.server.explorer.chain_pages import PAGE_ROWS
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.reader import Reader, address_of, hex_of
from devchain.types import Address, BlockRef, Tag

MAX_ACCOUNTS = 200
MAX_GETTERS = 40
MAX_HOLDINGS = 200  # tokens, and ids of them, that are asked for


@dataclass(frozen=True, slots=True)
class ContractRow:
    """A contract in a list, its token, and who made it in which transaction, if that is known."""

    party: AccountView
    size: int
    token: Token | None
    creator: AccountView | None = None
    tx: TransactionView | None = None

    @classmethod
    def of(
        cls, reader: Reader, address: Address, made: IndexedContract | None = None
    ) -> ContractRow:
        size = len(reader.chain.state_at(Tag.LATEST).code(address))
        creation = (reader.account(made.creator), reader.mined_at(made.position)) if made else ()
        return cls(reader.account(address), size, reader.token(address), *creation)


def accounts(reader: Reader) -> Page:
    """The accounts that this node signs for, and those that are impersonated, after a block.

    With `account` it leads to one of them.
    """
    node, own, block = reader.node, list(reader.own_accounts), reader.query.number("block")
    if wanted := reader.query.text("account"):
        at = "" if block is None else f"?block={block}"
        return Page("", "", location=f"/address/{hex_of(address_of(wanted))}{at}")
    known = [*own, *(owned for owned in node.accounts.impersonated() if owned not in own)]
    shown = [
        (reader.balance_of(each, block), _lock_state(reader, each)) for each in known[:MAX_ACCOUNTS]
    ]
    values = {"accounts": shown, "hidden": max(len(known) - MAX_ACCOUNTS, 0), "block": block}
    return Page("accounts.html", "Accounts", values, [("eth_accounts", [])])


def _lock_state(reader: Reader, address: Address) -> str:
    # Empty for an account that is not the node's.
    accounts = reader.node.accounts
    if accounts.impersonates(address):
        return "impersonated"
    if address not in reader.own_accounts:
        return ""
    return "unlocked" if accounts.is_unlocked(address) else "locked"


def address(reader: Reader, text: str) -> Slices[Page]:
    """An account: balance, nonce, contract, and the transactions that touched it."""
    node, account = reader.node, address_of(text)
    block, start = reader.query.number("block"), reader.query.number("created") or 0
    at: BlockRef = Tag.LATEST if block is None else block
    end = None if block is None else (block + 1, 0)
    before, after = _position(reader.query, "before") or end, _position(reader.query, "after")
    history = None
    index = yield from reader.index()
    if not node.config.hosted:  # which answers no method that replays the chain
        history = yield from node.address_history.page_in_slices(
            account, before=before, after=after, count=PAGE_ROWS
        )
    creation = index.newest_creation(account)
    created, total = index.created_by(account, count=PAGE_ROWS, offset=start)
    newer = history and history.newer
    found = history.appearances if history else ()
    values = {
        "account": reader.balance_of(account, block),
        "block": block,
        "holdings": (yield from _holdings(reader, account, index, at)),
        "contracts": [ContractRow.of(reader, each.address, each) for each in created],
        "contracts_total": total,
        "getters": (yield from _getters(reader, account, at)),
        "proxies": (yield from reader.proxies()).get(account, ()),
        "contracts_from": start,
        "state": _lock_state(reader, account),
        "created": creation and ContractRow.of(reader, account, creation),
        "transactions": (yield from reader.rows([(each.block, each.receipt) for each in found])),
        "transfers": reader.indexed(index.moved_by(account, end, PAGE_ROWS)),
        "newer": newer if newer and index.search(account, after=newer, before=end, count=1) else "",
        "roles": [[role.name for role in each.roles] for each in found],
        "history": history,
    }
    raw: list[RawCall] = [
        (name, [hex_of(account), "latest"])
        for name in ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
    ]
    return account_page(reader, account, "address.html", "", values, *raw)


def _holdings(
    reader: Reader, account: Address, index: AddressIndex, at: BlockRef
) -> Slices[list[tuple[AccountView, str]]]:
    # What an account owns: tokens, and of each an amount or an id.
    found = []
    for address, _, token_id in index.held_by(account, MAX_HOLDINGS):
        yield QUICK
        if (token := reader.token(address, at)) is None:
            continue
        if owned := balance(reader.node, token, account, token_id, at):
            party = reader.account(address)
            party = replace(party, name=party.name or token.name)
            found.append((party, token.amount(owned, token_id)))
    return found


def _getters(reader: Reader, account: Address, at: BlockRef) -> Slices[list[tuple[str, str, str]]]:
    # What functions without arguments return, that only read: name, value, their contract.
    found: list[tuple[str, str, str]] = []
    for contract, artifact in contracts_at(reader.node, account):
        getters = [
            entry
            for entry in artifact.abi.functions.values()
            if entry.is_read_only and entry.outputs and not entry.inputs
        ]
        for entry in getters[: MAX_GETTERS - len(found)]:
            yield SLOW
            output = read_call(reader.node, account, entry.selector, at)
            values = entry.decode_output(output)
            text = "fails, or needs more gas than this page gives: call it"
            if values is not None:
                text = reader.names.output_text(entry, values)
            found.append((entry.name, text, "" if contract == account else artifact.name))
    return found


def _position(query: Query, name: str) -> tuple[int, int] | None:
    found = re.fullmatch("([0-9]{1,18})-([0-9]{1,8})", query.text(name, 40))
    return (int(found[1]), int(found[2])) if found else None


def account_page(
    reader: Reader,
    account: Address,
    template: str,
    title: str,
    values: Mapping[str, object],
    *raw: RawCall,
) -> Page:
    """A page of an account, with what all of them begin with; its title ends with its name."""
    code, party = reader.names.code_at(account), reader.account(account)
    may_be_known = code or reader.node.artifacts.may_know(account)
    artifact = reader.names.artifact(account) if may_be_known else None
    kind = "Contract" if code else "Precompiled contract" if artifact else "Account"
    own, token = reader.own_accounts.get(account), reader.token(account) if code else None
    name = f"{own}" if own is not None and not artifact else party.name
    name = name or (token.label if token else "")
    head = {
        "party": party,
        "name": name,
        "is_token": token is not None,
        "kind": kind,
        "code_size": len(code),
        "source": artifact.source if artifact else "",
        "has_abi": artifact is not None,
        "implementations": [*map(reader.account, implementations(reader.node, account))],
    }
    return Page(
        template,
        f"{title or kind} {name or short(party.address)}",
        {"head": head, **values},
        raw=raw,
        section="contracts" if code or artifact or title else "accounts",
    )
