"""What pages show, as typed values: addresses, amounts, transactions and blocks in words.

Names, calls, events and failures become text in the node's `CallExplainer`, as in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.transaction import Transaction
from devchain.contracts.artifacts import Artifact
from devchain.contracts.names import Names, raw_log
from devchain.errors import MethodNotFound
from devchain.evm.revert_reasons import REVERTED
from devchain.networks import coin
from devchain.node import Node
from devchain.node.proxies import compiled_artifact
from devchain.rpc.enabled_methods import EnabledMethods
from devchain.text import age, amount, moment, percent, printable, shorten
from devchain.types import SELECTOR_SIZE, Address, checksum

MAX_TEXT = 400
"""Characters of a name, call or reason in a list: contracts can make them of any size."""

MAX_LONG_TEXT = 8_000
"""Characters of one on a page of its own; the JSON beside it has all of it."""


def how_to_add_artifacts(node: Node) -> str:
    """How a node gets to know a contract; clients may send it where that method is enabled."""
    by_option = "--artifacts PATH names the compiled project"
    try:
        EnabledMethods(node.config).method("devchain_addArtifacts")
    except MethodNotFound:
        return f"{by_option} when the node is started"
    return f"{by_option}, or devchain_addArtifacts sends it"


@dataclass(frozen=True, slots=True)
class Party:
    """An account as pages show it: checksummed address, and a name if one is known."""

    address: str
    name: str = ""
    is_contract: bool = False

    @property
    def short(self) -> str:
        """The address with its middle left out."""
        return f"{self.address[:8]}…{self.address[-6:]}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A timestamp as a date, and relative to the chain's clock."""

    seconds: int
    date: str
    ago: str

    @property
    def iso(self) -> str:
        """The date as HTML wants it."""
        return self.date.replace(" UTC", "Z").replace(" ", "T")


@dataclass(frozen=True, slots=True)
class TransactionRow:
    """A transaction in a list; `block` is None while it waits in the mempool."""

    hash: str
    status: str
    sender: Party
    to: Party | None
    created: Party | None
    called: str
    value: str
    gas_used: int | None
    gas_limit: int
    fee: str
    nonce: int
    block: int | None = None
    block_hash: str = ""
    index: int = 0
    mined: Moment | None = None
    reason: str = ""

    @property
    def short(self) -> str:
        """The hash with its middle left out."""
        return short_hash(self.hash)


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A block in a list; `is_upstream` if it is of the chain that this one was forked from."""

    number: int
    hash: str
    mined: Moment
    miner: Party
    transactions: int
    failed: int
    gas_used: int
    gas_limit: int
    gas_share: str
    is_upstream: bool

    @property
    def short(self) -> str:
        """The hash with its middle left out."""
        return short_hash(self.hash)


@dataclass(frozen=True, slots=True)
class EventRow:
    """A log: its contract and the event as text, or its topics and data if it is not known."""

    index: int
    contract: Party
    text: str
    is_known: bool
    topics: Sequence[str]
    data: str
    block: int | None = None
    transaction: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled value of a page; `is_code` for what is set in a fixed-width font."""

    label: str
    value: str
    is_code: bool = False


class Reader:
    """Makes values for pages of what a node knows; for one page, at one moment of the chain."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.chain = node.chain
        self.now = node.clock.now()
        self.coin = coin(node.config.effective_chain_id)
        self._parties: dict[Address, Party] = {}

    @cached_property
    def names(self) -> Names:
        """Names by the code of the head."""
        return self.node.explainer.names()

    @cached_property
    def own_accounts(self) -> dict[Address, int]:
        """The node's accounts, each with its number in `eth_accounts`."""
        if self.node.config.hosted:
            return {}
        return {each: index for index, each in enumerate(self.node.accounts.addresses())}

    def is_upstream(self, number: int) -> bool:
        """Whether a block is of the chain that this one was forked from."""
        return self.node.fork is not None and number <= self.chain.first

    # Values

    def amount(self, wei: int) -> str:
        """An amount in the chain's coin."""
        return amount(wei, self.coin)

    def moment(self, timestamp: int) -> Moment:
        """A timestamp of a block."""
        return Moment(timestamp, moment(timestamp), age(timestamp, self.now))

    def address(self, address: Address) -> str:
        """An address as text."""
        config = self.node.config
        return checksum(address, config.effective_chain_id if config.checksum_addresses else None)

    def party(self, address: Address) -> Party:
        """An account with the name of its contract, or its number among the node's accounts."""
        known = self._parties.get(address)
        if known is None:
            known = self._parties[address] = self._party(address)
        return known

    def _party(self, address: Address) -> Party:
        text = self.address(address)
        if self.node.artifacts.may_know(address) and (name := self.names.contract(address)):
            return Party(text, one_line(name), is_contract=True)
        index = self.own_accounts.get(address)
        return Party(text, "" if index is None else f"account {index}")

    def artifact(self, address: Address) -> Artifact | None:
        """The artifact of the contract at an address, with what files have of it beyond names."""
        if not self.node.artifacts.may_know(address):
            return None
        return compiled_artifact(self.node, self.names.code_at(address), address)

    def called(self, tx: Transaction, created: Address | None = None) -> str:
        """What a transaction does: a call by name, a transfer, a creation, or a selector."""
        if text := self.names.known_call(tx.to, tx.data, created):
            return one_line(text)
        if tx.to is None:
            return "new contract"
        if not tx.data:
            return "transfer"
        return f"0x{tx.data[:SELECTOR_SIZE].hex()}"

    def reason(self, receipt: Receipt) -> str:
        """Why a transaction failed, for a list; empty if it succeeded."""
        text = self.node.explainer.failure_text(receipt) or ""
        return one_line(text.removeprefix(REVERTED).lstrip(": ") or text)

    # Rows

    def transaction(
        self, tx: Transaction, block: Block | None = None, receipt: Receipt | None = None
    ) -> TransactionRow:
        """A transaction, with its block and receipt if it is mined."""
        to = None if tx.to is None else self.party(tx.to)
        called = self.called(tx, receipt.contract_address if receipt else None)
        if block is None or receipt is None:
            return TransactionRow(
                hash=hex_of(tx.hash),
                status="pending",
                sender=self.party(tx.sender),
                to=to,
                created=None,
                called=called,
                value=self.amount(tx.value),
                gas_used=None,
                gas_limit=tx.gas,
                fee="",
                nonce=tx.nonce,
            )
        created = receipt.contract_address if receipt.succeeded else None
        return TransactionRow(
            hash=hex_of(tx.hash),
            status="ok" if receipt.succeeded else "failed",
            sender=self.party(tx.sender),
            to=to,
            created=self.party(created) if created else None,
            called=called,
            value=self.amount(tx.value),
            gas_used=receipt.gas_used,
            gas_limit=tx.gas,
            fee=self.amount(receipt.fee or receipt.gas_used * receipt.gas_price),
            nonce=tx.nonce,
            block=block.number,
            block_hash=hex_of(block.hash),
            index=receipt.index,
            mined=self.moment(block.timestamp),
            reason=self.reason(receipt),
        )

    def mined_transactions(self, block: Block) -> list[TransactionRow]:
        """The transactions of a block, in order."""
        return [self.transaction(each.transaction, block, each) for each in block.receipts]

    def block(self, block: Block) -> BlockRow:
        """A block in a list."""
        return BlockRow(
            number=block.number,
            hash=hex_of(block.hash),
            mined=self.moment(block.timestamp),
            miner=self.party(Address(block.header.coinbase)),
            transactions=len(block.transactions),
            failed=0
            if self.is_upstream(block.number)  # each receipt would be a request
            else sum(not each.succeeded for each in block.receipts),
            gas_used=block.gas_used,
            gas_limit=block.gas_limit,
            gas_share=percent(block.gas_used, block.gas_limit),
            is_upstream=self.is_upstream(block.number),
        )

    def event(
        self, log: Log, index: int, block: int | None = None, transaction: str = ""
    ) -> EventRow:
        """A log as text, if its event is known."""
        text = self.names.event(log.address, log.topics, log.data)
        return EventRow(
            index=index,
            contract=self.party(log.address),
            text=long_text(text or raw_log(log.topics, log.data)),
            is_known=text is not None,
            topics=[hex_of(each) for each in log.topics],
            data=shorten(hex_of(log.data), MAX_LONG_TEXT),
            block=block,
            transaction=transaction,
        )


def hex_of(value: bytes) -> str:
    """Bytes as DATA."""
    return f"0x{value.hex()}"


def short_hash(text: str) -> str:
    """A hash with its middle left out."""
    return f"{text[:10]}…{text[-6:]}"


def one_line(text: str) -> str:
    """Text of a contract for a list: escaped and shortened."""
    return printable(shorten(text, MAX_TEXT))


def long_text(text: str) -> str:
    """Text of a contract for a page of its own: escaped, and of bounded length."""
    return printable(shorten(text, MAX_LONG_TEXT))
