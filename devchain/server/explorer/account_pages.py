"""Pages of accounts: those of the node, and any other by address."""

from __future__ import annotations

from dataclasses import dataclass

from devchain.errors import NotFound
from devchain.node import Node
from devchain.server.explorer.chain_pages import MAX_SEARCHED_BLOCKS, PAGE_ROWS
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.values import Party, Reader, TransactionRow, hex_of
from devchain.types import Address, Tag

MAX_ACCOUNTS = 200


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account with its balance, its next nonce, and whether its key is locked."""

    party: Party
    balance: str
    nonce: int
    state: str


def accounts(node: Node, query: Query) -> Page:  # noqa: ARG001  # as every page
    """The accounts that this node signs for, and those that are impersonated."""
    reader = Reader(node)
    state = node.chain.state_at(Tag.LATEST)
    own = list(reader.own_accounts)
    impersonated = [each for each in node.accounts.impersonated() if each not in own]
    rows = [
        AccountRow(
            reader.party(each),
            reader.amount(state.balance(each)),
            state.nonce(each),
            lock_state(node, each),
        )
        for each in [*own, *impersonated][:MAX_ACCOUNTS]
    ]
    return Page(
        "accounts.html",
        "Accounts",
        {"accounts": rows, "hidden": max(len(own) + len(impersonated) - MAX_ACCOUNTS, 0)},
        raw=[("eth_accounts", [])],
        section="accounts",
    )


def lock_state(node: Node, address: Address) -> str:
    """`unlocked`, `locked` or `impersonated`; empty for an account that is not the node's."""
    if node.config.hosted:
        return ""
    if node.accounts.impersonates(address):
        return "impersonated"
    if address not in node.accounts.addresses():
        return ""
    return "unlocked" if node.accounts.is_unlocked(address) else "locked"


def address(node: Node, query: Query, text: str) -> Page:
    """An account: balance, nonce, contract, and its transactions."""
    reader = Reader(node)
    account = address_of(text)
    state = node.chain.state_at(Tag.LATEST)
    code = state.code(account)
    party = reader.party(account)
    artifact = reader.names.artifact(account) if code or party.is_contract else None
    rows = _recent(reader, account)
    kind = "Contract" if code else "Account"
    if artifact and not code:
        kind = "Precompiled contract"
    return Page(
        "address.html",
        f"{kind} {party.name or party.short}",
        {
            "party": party,
            "kind": kind,
            "balance": reader.amount(state.balance(account)),
            "wei": f"{state.balance(account):,}",
            "nonce": state.nonce(account),
            "code_size": len(code),
            "source": artifact.source if artifact else "",
            "state": lock_state(node, account),
            "transactions": rows,
            "searched": min(node.chain.height - node.chain.first + 1, MAX_SEARCHED_BLOCKS),
            "tab": query.text("tab"),
        },
        raw=[
            ("eth_getBalance", [hex_of(account), "latest"]),
            ("eth_getTransactionCount", [hex_of(account), "latest"]),
            ("eth_getCode", [hex_of(account), "latest"]),
        ],
        section="accounts",
    )


def address_of(text: str) -> Address:
    """The address in a page's path; raises `NotFound`."""
    try:
        found = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        found = b""
    if len(found) != 20:
        raise NotFound("an address is 0x and 40 hex digits")
    return Address(found)


def _recent(reader: Reader, account: Address) -> list[TransactionRow]:
    """Transactions from, to or creating an account, in the newest blocks."""
    chain, rows = reader.chain, list[TransactionRow]()
    last = max(chain.first + (reader.node.fork is not None), chain.height - MAX_SEARCHED_BLOCKS + 1)
    for number in range(chain.height, last - 1, -1):
        block = chain.block(number)
        for receipt in reversed(block.receipts):
            tx = receipt.transaction
            if account in {tx.sender, tx.to, receipt.contract_address}:
                rows.append(reader.transaction(tx, block, receipt))
                if len(rows) == PAGE_ROWS:
                    return rows
    return rows
