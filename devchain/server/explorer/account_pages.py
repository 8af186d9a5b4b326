"""Pages of accounts: those of the node, and any other by address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devchain.chain.slices import Slices
from devchain.errors import NotFound
from devchain.node import Node
from devchain.node.address_history import Role
from devchain.node.proxies import implementations
from devchain.server.explorer.chain_pages import PAGE_ROWS
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.values import Party, Reader, hex_of, one_line
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


def address(node: Node, query: Query, text: str) -> Slices[Page]:
    """An account: balance, nonce, contract, and the transactions that touched it."""
    account = address_of(text)
    before, after = _position(query, "before"), _position(query, "after")
    found = None
    if not node.config.hosted:  # which answers no method that replays the chain
        found = yield from node.address_history.page_in_slices(
            account, before=before, after=after, count=PAGE_ROWS
        )
    reader = Reader(node)
    state = node.chain.state_at(Tag.LATEST)
    rows = [
        (reader.transaction(each.receipt.transaction, each.block, each.receipt), _roles(each.roles))
        for each in (found.appearances if found else ())
    ]
    created = None
    if found and state.code(account):
        created = yield from node.address_history.creation_in_slices(account)
    head = account_head(reader, account)
    return Page(
        "address.html",
        head.title,
        {
            "head": head,
            "balance": reader.amount(state.balance(account)),
            "wei": f"{state.balance(account):,}",
            "nonce": state.nonce(account),
            "state": lock_state(node, account),
            "created": created
            and reader.transaction(created.receipt.transaction, created.block, created.receipt),
            "transactions": rows,
            "has_history": found is not None,
            "older": found.older if found else None,
            "newer": found.newer if found else None,
            "first_block": found.first_block if found and not found.is_complete else None,
        },
        raw=[
            ("eth_getBalance", [hex_of(account), "latest"]),
            ("eth_getTransactionCount", [hex_of(account), "latest"]),
            ("eth_getCode", [hex_of(account), "latest"]),
        ],
        section="contracts" if head.code_size else "accounts",
    )


ROLES = {
    Role.SENDER: "sent it",
    Role.RECIPIENT: "received it",
    Role.CREATED: "was created",
    Role.INTERNAL: "was called",
    Role.TOKENS: "moved tokens",
}


def _roles(roles: Role) -> str:
    return ", ".join(text for role, text in ROLES.items() if role in roles)


def _position(query: Query, name: str) -> tuple[int, int] | None:
    block, _, index = query.text(name, 40).partition("-")
    is_position = block.isascii() and block.isdigit() and index.isascii() and index.isdigit()
    return (int(block), int(index)) if is_position and len(block) < 19 and len(index) < 9 else None


@dataclass(frozen=True, slots=True)
class AccountHead:
    """What every page of an account begins with; `implementations` are what it delegates to."""

    party: Party
    kind: str
    code_size: int
    source: str
    has_abi: bool
    implementations: Sequence[Party] = ()

    @property
    def title(self) -> str:
        """The title of a page of the account."""
        return f"{self.kind} {self.party.name or self.party.short}"


def account_head(reader: Reader, account: Address) -> AccountHead:
    """What the pages of an account begin with."""
    code = reader.names.code_at(account)
    party = reader.party(account)
    artifact = reader.names.artifact(account) if code or party.is_contract else None
    kind = "Contract" if code else "Account"
    if artifact and not code:
        kind = "Precompiled contract"
    source = one_line(artifact.source) if artifact else ""
    delegates = [reader.party(each) for each in implementations(reader.node, account)]
    return AccountHead(party, kind, len(code), source, artifact is not None, delegates)


def address_of(text: str) -> Address:
    """The address in a page's path; raises `NotFound`."""
    try:
        found = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        found = b""
    if len(found) != 20:
        raise NotFound("an address is 0x and 40 hex digits")
    return Address(found)
