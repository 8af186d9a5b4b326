"""Pages of accounts: those of the node, and any other by address."""

from __future__ import annotations

from collections.abc import Mapping

from devchain.chain.slices import Slices
from devchain.client.views import short
from devchain.node import Node
from devchain.node.address_history import Role
from devchain.node.contract_storage import implementations
from devchain.server.explorer.chain_pages import PAGE_ROWS
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.reader import Reader, address_of, hex_of
from devchain.types import Address, Tag

MAX_ACCOUNTS = 200
ROLES = {
    Role.SENDER: "sent it",
    Role.RECIPIENT: "received it",
    Role.CREATED: "was created",
    Role.INTERNAL: "was called",
    Role.TOKENS: "moved tokens",
}


def accounts(reader: Reader) -> Page:
    """The accounts that this node signs for, and those that are impersonated."""
    node, own = reader.node, list(reader.own_accounts)
    known = [*own, *(owned for owned in node.accounts.impersonated() if owned not in own)]
    shown = [(reader.balance_of(owned), lock_state(node, owned)) for owned in known[:MAX_ACCOUNTS]]
    values = {"accounts": shown, "hidden": max(len(known) - MAX_ACCOUNTS, 0)}
    return Page("accounts.html", "Accounts", values, [("eth_accounts", [])])


def lock_state(node: Node, address: Address) -> str:
    """`unlocked`, `locked` or `impersonated`; empty for an account that is not the node's."""
    if node.config.hosted:
        return ""
    if node.accounts.impersonates(address):
        return "impersonated"
    if address not in node.accounts.addresses():
        return ""
    return "unlocked" if node.accounts.is_unlocked(address) else "locked"


def address(reader: Reader, text: str) -> Slices[Page]:
    """An account: balance, nonce, contract, and the transactions that touched it."""
    node, account = reader.node, address_of(text)
    before, after = _position(reader.query, "before"), _position(reader.query, "after")
    history = creation = None
    if not node.config.hosted:  # which answers no method that replays the chain
        history = yield from node.address_history.page_in_slices(
            account, before=before, after=after, count=PAGE_ROWS
        )
    if history and reader.chain.state_at(Tag.LATEST).code(account):
        creation = yield from node.address_history.creation_in_slices(account)
    values = {
        "account": reader.balance_of(account),
        "state": lock_state(node, account),
        "created": creation and reader.mined(creation.block, creation.receipt),
        "transactions": [
            (
                reader.mined(appearance.block, appearance.receipt),
                ", ".join(text for role, text in ROLES.items() if role in appearance.roles),
            )
            for appearance in (history.appearances if history else ())
        ],
        "history": history,
    }
    raw: list[RawCall] = [
        (name, [hex_of(account), "latest"])
        for name in ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
    ]
    return account_page(reader, account, "address.html", "", values, *raw)


def _position(query: Query, name: str) -> tuple[int, int] | None:
    block, _, index = query.text(name, 40).partition("-")
    is_position = block.isascii() and block.isdigit() and index.isascii() and index.isdigit()
    return (int(block), int(index)) if is_position and len(block) < 19 and len(index) < 9 else None


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
    head = {
        "party": party,
        "kind": kind,
        "code_size": len(code),
        "source": artifact.source if artifact else "",
        "has_abi": artifact is not None,
        "implementations": [
            reader.account(delegate) for delegate in implementations(reader.node, account)
        ],
    }
    return Page(
        template,
        f"{title or kind} {party.name or short(party.address)}",
        {"head": head, **values},
        raw=raw,
        section="contracts" if code or title else "accounts",
    )
