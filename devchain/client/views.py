"""Views of a chain: blocks, transactions, calls, logs, accounts as typed values with their words.

`devchain inspect`, `devchain watch`, the node's log, the explorer and the debugger lay them out.
They are made of JSON-RPC objects, of a client (`ChainReader`) with hex strings or of
`rpc.result_objects` with integers and bytes. Members that a node does not return are None or empty.
Texts of contracts and nodes are shortened but not escaped: who shows them escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from devchain.errors import InvalidInput, RpcFailure
from devchain.networks import NETWORKS, coin
from devchain.text import age, amount, gas_price, moment, percent, plural, shorten

if TYPE_CHECKING:
    from devchain.contracts.names import ValueText

Json = dict[str, Any]

ADDRESS = re.compile("[0-9a-f]{40}")
LONG_HEX = re.compile(r"0x([0-9a-fA-F]{4})[0-9a-fA-F]{32,56}([0-9a-fA-F]{4})(?![0-9a-fA-F])")
MAX_DIGITS = 80  # longer texts are not parsed: a 256-bit number has at most 78 digits
MAX_TEXT = 2_000  # characters of a call or a reason: contracts can make them of any size
MAX_LINES = 200  # lines of a source trace, which other nodes may send too
SELECTOR_LENGTH = len("0x12345678")
OK, FAILED, PENDING, MINED = "ok", "failed", "pending", "mined"  # `mined`: it may have failed
NEW_CONTRACT = "a new contract"
REMASC = "0x0000000000000000000000000000000001000008"  # whose default function pays fees (rskj)
UNNAMED_ERROR = re.compile(r"custom error 0x[0-9a-fA-F]{8}")  # no artifact has it

# Beginning of error messages of devchain, ganache and Hardhat.
VM_EXCEPTION = "VM Exception while processing transaction: "


# Values in JSON-RPC objects


def number(value: object) -> int | None:
    """The integer in a QUANTITY or a JSON number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, str) and len(value) > MAX_DIGITS:
        return None
    try:
        return int(value, 0) if isinstance(value, str) else value
    except ValueError:
        return None


def data_bytes(value: object) -> bytes:
    """The bytes in a DATA value; raises `InvalidInput` if it is anything else."""
    if isinstance(value, bytes):
        return value
    try:
        return bytes.fromhex(str(value).removeprefix("0x"))
    except ValueError:
        raise InvalidInput(
            f"the node returned {str(value)[:MAX_DIGITS]!r}, which is not DATA (0x hex)"
        ) from None


def data_text(value: object) -> str:
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    return "" if value is None else str(value)


def is_address(text: str) -> bool:
    return text[:2] == "0x" and ADDRESS.fullmatch(text[2:].lower()) is not None


def _without_middle(match: re.Match[str]) -> str:
    # Takes half as long as a template.
    return f"0x{match[1]}…{match[2]}"


def short(text: str) -> str:
    """A text with its addresses and hashes shortened: `0xf39F…2266`."""
    return LONG_HEX.sub(_without_middle, text)


def size(count: int) -> str:
    return plural(count, "byte")


def network_name(chain_id: int) -> str:
    return next((net.title for net in NETWORKS.values() if net.chain_id == chain_id), "")


@dataclass(frozen=True, slots=True)
class Notation:
    """How addresses and amounts of a chain are written: checksum, names, and name of the coin.

    Addresses have the checksum of EIP-55, the only one that most tools accept, or with
    `uses_eip1191` that of EIP-1191 for the chain id. `name_of` gives the name of the contract at an
    address in lower case, empty if it is not known.
    """

    chain_id: int
    uses_eip1191: bool = False
    name_of: Callable[[str], str] = field(default=lambda _: "", compare=False)

    @property
    def coin(self) -> str:
        return coin(self.chain_id)

    def address(self, value: object) -> str:
        """An address with its checksum; any other text is unchanged."""
        from devchain.types import checksum

        if not isinstance(value, bytes):
            digits = str(value).lower().removeprefix("0x")
            if not ADDRESS.fullmatch(digits):
                return str(value)
            value = bytes.fromhex(digits)
        return checksum(value, self.chain_id if self.uses_eip1191 else None)

    def has_checksum(self, text: str) -> bool:
        """Whether the case of an address is EIP-55's or EIP-1191's, or that of all its letters."""
        digits = text.removeprefix("0x")
        if digits in (digits.lower(), digits.upper()):
            return True
        from devchain.types import checksum

        address = bytes.fromhex(digits)
        return text in (checksum(address), checksum(address, self.chain_id))

    def account(self, value: object) -> AccountView:
        address = self.address(value)
        return AccountView(address, self.name_of(address.lower()), coin=self.coin)

    def amount(self, wei: int) -> str:
        """An amount, exact: `1.5 RBTC`; in wei if it is tiny."""
        return amount(wei, self.coin)


# Views


@dataclass(frozen=True, slots=True)
class AccountView:
    """An account: checksummed address, name of its contract, and what was asked of its state."""

    address: str
    name: str = ""
    balance: int | None = None
    nonce: int | None = None
    coin: str = field(default="", repr=False, compare=False)

    @property
    def named(self) -> str:
        """The address, and the name if one is known: `0x12.. (Token)`."""
        return f"{self.address} ({self.name})" if self.name else self.address

    @property
    def balance_text(self) -> str:
        return "" if self.balance is None else amount(self.balance, self.coin)


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled value; `note` says the same in other units, or adds to it.

    `is_code` for hashes and bytes; `share` is a part of a whole in percent, which a bar may show.
    """

    label: str
    value: str
    note: str = ""
    is_code: bool = False
    share: float | None = None


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block, whose transactions are objects or hashes. A pending one has no hash."""

    number: int
    hash: str
    timestamp: int
    gas_used: int
    gas_limit: int
    transactions: Sequence[Any] = field(repr=False, compare=False)
    json: Mapping[str, Any] = field(repr=False, compare=False)
    notation: Notation = field(repr=False, compare=False)

    @classmethod
    def of(cls, block: object, notation: Notation) -> BlockView:
        if not isinstance(block, dict):
            raise InvalidInput(f"the node returned {str(block)[:80]!r}, which is not a block")
        transactions = block.get("transactions")
        return cls(
            number=_int(block, "number"),
            hash=data_text(block.get("hash")),
            timestamp=_int(block, "timestamp"),
            gas_used=_int(block, "gasUsed"),
            gas_limit=_int(block, "gasLimit"),
            transactions=transactions if isinstance(transactions, list) else [],
            json=block,
            notation=notation,
        )

    @property
    def parent_hash(self) -> str:
        return data_text(self.json.get("parentHash"))

    @property
    def miner(self) -> AccountView | None:
        miner = self.json.get("miner")
        return None if miner is None else self.notation.account(miner)

    @property
    def is_pending(self) -> bool:
        """Whether the node is still to mine it. anvil's pending block has a hash."""
        return not self.hash

    @property
    def date(self) -> str:
        return moment(self.timestamp)

    @property
    def gas_share(self) -> str:
        """The gas used as a share of the limit: `21.3 %`."""
        return percent(self.gas_used, self.gas_limit)

    @property
    def gas_text(self) -> str:
        """`21,000 of 6,800,000`."""
        return f"{self.gas_used:,} of {self.gas_limit:,}"

    @property
    def facts(self) -> Iterator[Fact]:
        """What a block has beside number, hashes, time, miner and gas, as far as the node says."""
        block = self.json
        yield from price_facts("Minimum price", block.get("minimumGasPrice"))
        yield from price_facts("Base fee", block.get("baseFeePerGas"))
        if (fees := number(block.get("paidFees"))) is not None:
            yield amount_fact("Fees paid", fees, self.notation.coin)
        difficulty, total = number(block.get("difficulty")), number(block.get("totalDifficulty"))
        if difficulty is not None:
            in_all = "" if total is None else f"{total:,} in all"
            yield Fact("Difficulty", f"{difficulty:,}", in_all)
        if (byte_count := number(block.get("size"))) is not None:
            yield Fact("Size", size(byte_count))
        uncles, extra = block.get("uncles"), data_text(block.get("extraData"))
        if isinstance(uncles, list) and uncles:
            yield Fact("Uncles", str(len(uncles)))
        if extra not in ("", "0x"):
            try:
                text = bytes.fromhex(extra[2:]).decode()
            except ValueError:
                text = ""
            yield Fact("Extra data", extra, text if text.isprintable() else "", is_code=True)

    @property
    def roots(self) -> Iterator[Fact]:
        for label, name in (
            ("State root", "stateRoot"),
            ("Tx root", "transactionsRoot"),
            ("Receipts root", "receiptsRoot"),
            ("Merged mining", "hashForMergedMining"),
        ):
            if text := data_text(self.json.get(name)):
                yield Fact(label, text, is_code=True)

    def event(self) -> Json:
        return {
            "event": "block",
            "number": self.number,
            "hash": self.hash,
            "timestamp": self.timestamp,
            "transactions": len(self.transactions),
            "gasUsed": self.gas_used,
            "gasLimit": self.gas_limit,
        }


@dataclass(frozen=True, slots=True)
class TransactionView:
    """A transaction with its receipt, if it is mined, and the names of contracts.

    `called` says in words what it called or created; it is empty if that is not known. `created` is
    the contract that it created, None if it failed. `reason` of a failure is None until it was
    asked for (`ChainReader.explained`); `hint` and `place` in the source may come with it.
    `inner_transfers` counts those of the coin below the first message, where that was asked for.
    """

    hash: str
    status: str
    sender: AccountView
    to: AccountView | None
    created: AccountView | None
    called: str
    input: str = field(repr=False)
    value: int
    gas_limit: int
    gas_used: int | None
    gas_price: int | None
    nonce: int
    type: int | None
    block: int | None
    block_hash: str
    index: int | None
    timestamp: int | None = None
    reason: str | None = None
    place: str = ""
    inner_transfers: int = 0
    coin: str = field(default="", repr=False, compare=False)
    receipt: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        tx: Mapping[str, Any],
        receipt: Mapping[str, Any] | None,
        notation: Notation,
        called: str | None = None,
        timestamp: int | None = None,
    ) -> TransactionView:
        """A transaction of objects; no receipt: not mined, an empty one: the node has none."""
        mined, to = receipt or {}, tx.get("to")
        if receipt is None and tx.get("blockNumber") is None:
            status = PENDING
        else:
            status = {1: OK, 0: FAILED}.get(_int(mined, "status", -1), MINED)
        # Nodes return an address even if the creation failed.
        created = mined.get("contractAddress") if status != FAILED else None
        block, index = (
            mined.get(name) if mined.get(name) is not None else tx.get(name)
            for name in ("blockNumber", "transactionIndex")
        )
        price = mined.get("effectiveGasPrice")
        return cls(
            hash=data_text(tx.get("hash")),
            status=status,
            sender=notation.account(tx.get("from")),
            to=None if to is None else notation.account(to),
            created=None if created is None else notation.account(created),
            called=shorten(called or "", MAX_TEXT),
            input=data_text(tx.get("input") or tx.get("data")) or "0x",
            value=_int(tx, "value"),
            gas_limit=_int(tx, "gas"),
            gas_used=number(mined.get("gasUsed")),
            gas_price=number(tx.get("gasPrice") if price is None else price),
            nonce=_int(tx, "nonce"),
            type=number(tx.get("type")),
            block=number(block),
            block_hash=data_text(mined.get("blockHash") or tx.get("blockHash")),
            index=number(index),
            timestamp=timestamp,
            coin=notation.coin,
            receipt=receipt,
        )

    @property
    def failed(self) -> bool:
        return self.status == FAILED

    @property
    def is_pending(self) -> bool:
        return self.status == PENDING

    @property
    def selector(self) -> str:
        has_one = self.to is not None and len(self.input) >= SELECTOR_LENGTH
        return self.input[:SELECTOR_LENGTH] if has_one else ""

    @property
    def input_size(self) -> int:
        return max(len(self.input) - len("0x"), 0) // 2

    @property
    def title(self) -> str:
        """What it does: a call by name, a creation, a transfer, or the selector of a function."""
        if self.called:
            return self.called
        if self.to is None:
            return "new contract"
        if self.to.address.lower() == REMASC and not self.input_size:
            return "REMASC.processMinersFees()"
        return self.selector or ("transfer" if self.input_size == 0 else self.input)

    @property
    def recipient(self) -> AccountView | None:
        """The account it was sent to, or the contract that it created; None if it created none."""
        return self.to or self.created

    @property
    def value_text(self) -> str:
        return amount(self.value, self.coin)

    @property
    def gas_text(self) -> str:
        """`21,000 of 90,000`, or the limit while it is pending."""
        if self.gas_used is None:
            return f"limit {self.gas_limit:,}"
        return f"{self.gas_used:,} of {self.gas_limit:,}"

    @property
    def fee(self) -> int | None:
        if self.gas_used is None or self.gas_price is None:
            return None
        return self.gas_used * self.gas_price

    @property
    def fee_text(self) -> str:
        return "" if self.fee is None else amount(self.fee, self.coin)

    @property
    def facts(self) -> Iterator[Fact]:
        yield amount_fact("Value", self.value, self.coin)
        if self.gas_used is None:
            yield Fact("Gas limit", f"{self.gas_limit:,}")
        else:
            yield gas_fact(self.gas_used, self.gas_limit)
        yield from price_facts("Gas price", self.gas_price)
        if self.fee is not None:
            yield amount_fact("Fee", self.fee, self.coin)
        yield Fact("Nonce", f"{self.nonce:,}")
        if self.type is not None:
            yield Fact("Type", str(self.type))

    def event(self) -> Json:
        to, created = self.to, self.created
        return {
            "event": "transaction",
            "hash": self.hash,
            "blockNumber": self.block,
            "from": self.sender.address.lower(),
            "to": to and to.address.lower(),
            "contractAddress": created and created.address.lower(),
            "value": hex(self.value),
            "gas": self.gas_limit,
            "gasUsed": self.gas_used,
            "succeeded": not self.failed,
            "failure": self.reason or None,
            "called": self.called or None,
        }


@dataclass(frozen=True, slots=True)
class LogView:
    """A log; `event` is the event with its arguments in words, empty if it is not known."""

    index: int
    contract: AccountView
    event: str
    topics: Sequence[str]
    data: str
    block: int | None
    transaction: str
    is_removed: bool
    values: Sequence[ValueText] = ()
    """The arguments of the event, whole, where they are known."""

    @classmethod
    def of(
        cls,
        log: Mapping[str, Any],
        notation: Notation,
        event: str | None = None,
        values: Sequence[ValueText] = (),
    ) -> LogView:
        return cls(
            index=_int(log, "logIndex"),
            contract=notation.account(log.get("address")),
            event=event or "",
            topics=[data_text(topic) for topic in log.get("topics") or ()],
            data=data_text(log.get("data")) or "0x",
            block=number(log.get("blockNumber")),
            transaction=data_text(log.get("transactionHash")),
            is_removed=bool(log.get("removed")),
            values=values,
        )

    @property
    def text(self) -> str:
        """The event, or topics and data if it is not known."""
        data = [self.data] if self.data != "0x" or not self.topics else []
        return self.event or f"log({', '.join([*self.topics, *data])})"


@dataclass(frozen=True, slots=True)
class CallView:
    """What a call or mined transaction did and why it failed, as a node explains it.

    `reason` is empty if it succeeded or nothing is known. `tree` are the lines of its call tree,
    `console` what it printed, with places in the source; `place` is where it failed.
    """

    called: str = ""
    reason: str = ""
    hint: str = ""
    place: str = ""
    tree: Sequence[str] = ()
    console: Sequence[tuple[str, str]] = ()
    trace: Sequence[str] = ()
    """The source trace as lines, the first of which is the reason; empty if no place is known."""

    @classmethod
    def of(cls, explanation: object) -> CallView:
        from devchain.evm.revert_reasons import reason_of_message

        if not isinstance(explanation, dict):
            return cls()
        failure, trace = explanation.get("failure"), explanation.get("sourceTrace")
        trace = trace if isinstance(trace, dict) else {}
        hint, place = str(trace.get("hint") or ""), _innermost_place(trace)
        reason = reason_of_message(failure) if isinstance(failure, str) else ""
        printed = _texts(explanation.get("console"))
        places = [*_texts(explanation.get("consolePlaces")), *[""] * len(printed)]
        return cls(
            called=str(explanation.get("called") or ""),
            reason=shorten(reason, MAX_TEXT),
            hint=shorten(hint, MAX_TEXT),
            place=place,
            tree=_texts(explanation.get("callTree")),
            console=list(zip(printed, places, strict=False)),
            trace=_texts(trace.get("text"))[:MAX_LINES] if place or hint else (),
        )

    @property
    def brief_reason(self) -> str:
        """The reason, or the hint if there is no reason: on one line."""
        from devchain.evm.revert_reasons import NO_REASON

        return self.hint if self.reason == NO_REASON and self.hint else self.reason

    def source_lines(self) -> Sequence[str]:
        """Where in the source it failed, with the reason of the trace only if it is another."""
        from devchain.evm.revert_reasons import REVERTED

        first = "".join(self.trace[:1])
        is_known = first == REVERTED or (self.reason and first.endswith(self.reason))
        return self.trace[1:] if is_known else self.trace


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        return []
    return [str(text) if text is not None else "" for text in value]


def _innermost_place(trace: Json) -> str:
    frames = trace.get("frames")
    for frame in reversed(frames if isinstance(frames, list) else []):
        if isinstance(frame, dict) and frame.get("line"):
            near = "near " if frame.get("confidence") == "near" else ""
            return f"{near}{frame.get('path')}:{frame['line']}"
    return ""


# Words


def time_fact(timestamp: int, now: int) -> Fact:
    """A timestamp as a date, relative to the chain's time, and in seconds."""
    return Fact("Time", moment(timestamp), f"{age(timestamp, now)} · {timestamp}")


def amount_fact(label: str, wei: int, coin: str) -> Fact:
    return Fact(label, *_with_wei(amount(wei, coin), wei))


def gas_fact(used: int, limit: int) -> Fact:
    share = 100 * used / limit if limit else 0.0
    return Fact("Gas", f"{used:,} of {limit:,}", percent(used, limit), share=share)


def price_facts(label: str, value: object) -> Iterator[Fact]:
    """A gas price in gwei and in wei; nothing if the node did not return it."""
    if (wei := number(value)) is not None:
        yield Fact(label, *_with_wei(gas_price(wei), wei))


def _with_wei(text: str, wei: int) -> tuple[str, str]:
    return text, "" if not wei or text.endswith(" wei") else f"{wei:,} wei"


def _int(item: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = number(item.get(name))
    return default if value is None else value


def error_reason(failure: RpcFailure) -> str:
    """Why a call failed, by the error of a node: the revert payload in it, else its message."""
    from devchain.evm import revert_reasons

    payload = revert_payload(failure.data)
    if text := revert_reasons.decode_error_or_panic(payload):
        return shorten(text, MAX_TEXT)
    _, is_revert, details = failure.message.partition(revert_reasons.REVERTED)
    details = details.lstrip(": ")
    if details and not UNNAMED_ERROR.match(details):
        return shorten(details, MAX_TEXT)
    default = revert_reasons.NO_REASON if is_revert else failure.message.removeprefix(VM_EXCEPTION)
    return shorten(revert_reasons.format_custom_error(payload) or details or default, MAX_TEXT)


def revert_payload(data: object) -> bytes:
    """The payload in the `data` of an error, which nodes nest and prefix differently."""
    if isinstance(data, dict):
        return revert_payload(data.get("data") or data.get("result"))
    if not isinstance(data, str):
        return b""
    _, _, digits = data.partition("0x")
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2])
    except ValueError:
        return b""
