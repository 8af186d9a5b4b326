"""Blocks, transactions, receipts and logs from the JSON of the node that a chain was forked from.

What that node says beyond the fields of our values (`size`, hashes of headers in a newer or older
form, `withdrawals`) is kept as it was read, by JSON-RPC member, in `answered`: so a block before
the fork is shown as the node showed it, whatever rules are in force here. An answer may contain
anything: every member is checked, and `UpstreamAnswerInvalid` names the one that is not as it
has to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn, TypeVar

import rlp
from eth.exceptions import PyEVMError
from eth_hash.auto import keccak
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.merged_mining import MergedMining
from devchain.chain.receipts import BLOOM_BYTES, bloom_of
from devchain.chain.remasc import ClosingTransaction
from devchain.chain.transaction import (
    ACCESS_LIST,
    BLOB,
    CREATION,
    DYNAMIC_FEE,
    LEGACY,
    SET_CODE,
    SignedTransaction,
    Transaction,
    from_signed,
    legacy_class,
)
from devchain.errors import DevchainError, UpstreamAnswerInvalid
from devchain.evm.failures import Failure, FailureKind
from devchain.evm.headers import header_fields
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.evm.rules import HeaderFields, Rules
from devchain.text import printable
from devchain.types import MAX_UINT64, ZERO_ADDRESS, ZERO_HASH, Address, Hash32
from devchain.upstream.queries import data, invalid, quantity

Json = Mapping[str, Any]
Value = TypeVar("Value")
Reader = Callable[[Any], Any]  # takes a JSON value, or raises `UpstreamAnswerInvalid`

# Values

small_quantity = partial(quantity, bits=64)
hash32: Callable[[Any], Any] = partial(data, size=32)
_address: Callable[[Any], Any] = partial(data, size=20)
_bloom = partial(data, size=BLOOM_BYTES)
_nonce = partial(data, size=8)


def _odd_data(value: Any) -> bytes:
    is_odd = isinstance(value, str) and len(value) % 2 and value.startswith("0x")
    return data(f"0x0{value[2:]}" if is_odd else value)


def _data_or_null(value: Any) -> bytes:
    return b"" if value is None else data(value)


def _receiver(value: Any) -> Address | None:
    return None if value in (None, "0x") else Address(_address(value))


def _list(read: Reader) -> Reader:
    def read_all(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise invalid(value, "a list")
        return [read(item) for item in value]

    return read_all


def _object(**readers: Reader) -> Reader:

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise invalid(value, "an object")
        return {name: reader(value.get(name)) for name, reader in readers.items()}

    return read


def _readers(*groups: tuple[Reader, str]) -> dict[str, Reader]:
    return {name: reader for reader, names in groups for name in names.split()}


def _edge(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_UINT64:
        raise invalid(value, "a number")
    return value


class Members:
    """The members of an object in an answer; `what` says for errors whose they are."""

    def __init__(self, value: Any, what: str) -> None:
        """Read from that value; raises `UpstreamAnswerInvalid` if it is no object."""
        self.what = what
        if not isinstance(value, dict):
            raise UpstreamAnswerInvalid(f"{invalid(value, 'an object')} ({what})")
        self._members: Json = value

    def refuse(self, reason: str) -> NoReturn:
        raise UpstreamAnswerInvalid(f"the upstream's answer for {self.what} is wrong: {reason}")

    def __contains__(self, name: str) -> bool:
        return self._members.get(name) is not None

    def read(self, name: str, reader: Callable[[Any], Value]) -> Value:
        try:
            return reader(self._members.get(name))
        except UpstreamAnswerInvalid as error:
            raise UpstreamAnswerInvalid(f"{error} ({name} of {self.what})") from None

    def read_all(self, readers: Mapping[str, Reader]) -> dict[str, Any]:
        return {
            name: self.read(name, reader) if name in self else None
            for name, reader in readers.items()
            if name in self._members
        }


# Blocks

_REQUIRED = _readers(
    (small_quantity, "number gasUsed timestamp"),
    (quantity, "difficulty gasLimit"),
    (hash32, "hash parentHash sha3Uncles transactionsRoot stateRoot receiptsRoot"),
    (_address, "miner"),
    (_bloom, "logsBloom"),
    (_odd_data, "extraData"),
)
_WITHDRAWAL = _object(
    index=small_quantity, validatorIndex=small_quantity, address=_address, amount=small_quantity
)
_PROOF = (
    "bitcoinMergedMiningHeader",
    "bitcoinMergedMiningCoinbaseTransaction",
    "bitcoinMergedMiningMerkleProof",
)
_OPTIONAL = _readers(
    (small_quantity, "size blobGasUsed excessBlobGas"),
    (quantity, "totalDifficulty minimumGasPrice paidFees cumulativeDifficulty baseFeePerGas"),
    (hash32, "mixHash hashForMergedMining withdrawalsRoot parentBeaconBlockRoot requestsHash"),
    (data, " ".join([*_PROOF, "baseEvent"])),
    (_nonce, "nonce"),
    (_list(hash32), "uncles"),
    (_list(_edge), "rskPteEdges"),
    (_list(_WITHDRAWAL), "withdrawals"),
)
_RENAMED = {
    "number": "block_number",
    "sha3Uncles": "uncles_hash",
    "transactionsRoot": "transaction_root",
    "receiptsRoot": "receipt_root",
    "miner": "coinbase",
}
"""Members whose header field has another name than theirs."""


class UpstreamReader:
    """Reads the objects of an upstream's answers under the rules in force here."""

    def __init__(self, rules: Rules, rules_at: Callable[[int], Rules] | None = None) -> None:
        """Headers are of those rules' class, since a block that is mined here follows the last.

        Transactions are executed under what `rules_at` gives for the number of their block.
        """
        self._rules_at = rules_at or (lambda _number: rules)
        fields = HeaderFields(timestamp=1, coinbase=ZERO_ADDRESS, gas_limit=1, minimum_gas_price=0)
        first = rules.genesis_header(fields, ZERO_HASH)
        second = rules.next_header(first, ZERO_HASH, fields._replace(timestamp=2))
        names = header_fields(first)
        self._header_class = type(first)
        self._fields = {
            member: field
            for member in [*_REQUIRED, *_OPTIONAL]
            if (field := _RENAMED.get(member) or _snake_case(member)) in names
        }
        # For what no method answers, and for blocks before the hardfork in force, which lack fields
        # that the block after them builds on; those of block 0 and of any other.
        self._defaults: tuple[dict[str, Any], ...] = tuple(
            {name: value for name, value in header.as_dict().items() if name in names}
            for header in (first, second)
        )

    def block(self, answer: Any, number: int) -> Block:
        """The block of that number in an answer with full transactions; receipts are asked for."""
        members = Members(answer, f"block {number}")
        block = self._head(members)
        if block.number != number:
            members.refuse(f"it was to be block {number}")
        transactions = []
        for index, tx in enumerate(members.read("transactions", _list(lambda item: item))):
            what = f"transaction {index} of block {number}"
            transactions.append(self._transaction(tx, what, number, (block.hash, index)))
        return replace(block, transactions=tuple(transactions))

    def uncle(self, answer: Any, block_hash: Hash32) -> Block:
        members = Members(answer, f"uncle 0x{block_hash.hex()}")
        block = self._head(members)
        if block.hash != block_hash:
            members.refuse(f"its hash is 0x{block.hash.hex()}")
        return block

    def _head(self, members: Members) -> Block:
        answered = {name: members.read(name, read) for name, read in _REQUIRED.items()}
        members.what = f"block {answered['number']}"
        answered |= members.read_all(_OPTIONAL)
        proof, *others = (answered.get(name) or b"" for name in _PROOF)
        return Block(
            header=self._header(members, answered),
            hash=Hash32(answered["hash"]),
            total_difficulty=answered.get("totalDifficulty") or 0,
            proof=MergedMining(proof, *others) if proof else None,
            answered=answered,
        )

    def _header(self, members: Members, answered: Json) -> Any:
        values = {
            field: answered[member]
            for member, field in self._fields.items()
            if answered.get(member) is not None
        }
        values["bloom"] = int.from_bytes(answered["logsBloom"], "big")
        if "uncle_count" in self._defaults[0]:
            values["uncle_count"] = len(answered.get("uncles") or ())
        try:
            defaults = self._defaults[answered["number"] > 0]
            header = self._header_class(**(defaults | values))
        except (TypeError, ValueError, RLPException, ValidationError) as error:
            members.refuse(f"it has no valid header: {printable(str(error)[:200])}")
        # Its hash cannot be computed where the header has another form upstream.
        header._hash = answered["hash"]  # noqa: SLF001  # both classes keep it there
        return header

    # Transactions

    def transaction(self, answer: Any, transaction_hash: Hash32, number: int) -> Transaction:
        what = f"transaction 0x{transaction_hash.hex()}"
        tx = self._transaction(answer, what, number)
        if tx.hash != transaction_hash:
            Members(answer, what).refuse(f"its hash is 0x{tx.hash.hex()}")
        return tx

    def _transaction(
        self, answer: Any, what: str, number: int, place: tuple[Hash32, int] | None = None
    ) -> Transaction:
        members = Members(answer, what)
        answered = {name: members.read(name, read) for name, read in _TX_REQUIRED.items()}
        answered |= members.read_all(_TX_OPTIONAL)
        if answered.get("input") is None:
            answered["input"] = members.read("data", _data_or_null)
        if place is not None:
            block_hash = members.read("blockHash", hash32)
            if block_hash != place[0]:
                members.refuse(f"blockHash is 0x{block_hash.hex()}")
            index = members.read("transactionIndex", small_quantity)
            if index != place[1]:
                members.refuse(f"transactionIndex is {index}")
        return UpstreamTransaction(self._rules_at(number), answered)

    # Receipts

    def receipt(self, answer: Any, tx: Transaction) -> Receipt:
        members = Members(answer, f"the receipt of 0x{tx.hash.hex()}")
        transaction_hash = members.read("transactionHash", hash32)
        if transaction_hash != tx.hash:
            members.refuse(f"transactionHash is 0x{transaction_hash.hex()}")
        outcome = {
            name: members.read(name, read)
            for name, read in (("root", hash32), ("status", quantity))
            if name in members
        }
        if not outcome:
            members.refuse("it has neither status nor root")
        gas_used = members.read("gasUsed", small_quantity)
        price = tx.gas_price
        if "effectiveGasPrice" in members:
            price = members.read("effectiveGasPrice", quantity)
        elif tx.answered:
            price = tx.answered["gasPrice"]
        places = [
            self.log(log, f"log {position} of {members.what}")
            for position, log in enumerate(members.read("logs", _list(lambda item: item)))
        ]
        first = places[0].index if places else 0
        if [place.index for place in places] != list(range(first, first + len(places))):
            members.refuse("the logIndex of its logs does not count up")
        logs = tuple(place.log for place in places)
        succeeded = bool(outcome.get("status", 1))
        return Receipt(
            transaction=tx,
            index=members.read("transactionIndex", small_quantity),
            succeeded=succeeded,
            gas_used=gas_used,
            cumulative_gas_used=members.read("cumulativeGasUsed", small_quantity),
            logs=logs,
            first_log_index=first,
            bloom=int.from_bytes(members.read("logsBloom", _bloom), "big")
            if "logsBloom" in members
            else bloom_of(logs),
            contract_address=members.read("contractAddress", _receiver),
            gas_price=price,
            fee=gas_used * price,
            failure=None if succeeded else UNEXPLAINED,
            root=outcome.get("root"),
            answered=outcome | members.read_all(_RECEIPT_OPTIONAL),
        )

    def log(self, answer: Any, what: str) -> PlacedLog:
        """A log of a receipt or of `eth_getLogs`; raises `UpstreamAnswerInvalid`."""
        members = Members(answer, what)
        topics = tuple(map(Hash32, members.read("topics", _list(hash32))))
        if len(topics) > MAX_TOPICS:
            members.refuse(f"it has {len(topics)} topics")
        return PlacedLog(
            log=Log(
                Address(members.read("address", _address)),
                topics,
                members.read("data", _data_or_null),
            ),
            block_number=members.read("blockNumber", small_quantity),
            block_hash=Hash32(members.read("blockHash", hash32)),
            transaction_hash=Hash32(members.read("transactionHash", hash32)),
            transaction_index=members.read("transactionIndex", small_quantity),
            index=members.read("logIndex", small_quantity),
            block_timestamp=members.read("blockTimestamp", small_quantity)
            if "blockTimestamp" in members
            else None,
        )


def _snake_case(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


_ACCESS = _object(address=_address, storageKeys=_list(hash32))
_AUTHORIZATION = _object(
    chainId=quantity,
    address=_address,
    nonce=small_quantity,
    yParity=quantity,
    r=quantity,
    s=quantity,
)
_TX_REQUIRED = _readers(
    (hash32, "hash"),
    (small_quantity, "nonce gas"),
    (quantity, "gasPrice value"),
    (_address, "from"),
    (_receiver, "to"),
)
_TX_OPTIONAL = _readers(
    (data, "input"),
    (small_quantity, "type blockTimestamp"),
    (quantity, "v r s yParity chainId maxFeePerGas maxPriorityFeePerGas maxFeePerBlobGas"),
    (_list(hash32), "blobVersionedHashes"),
    (_list(_ACCESS), "accessList"),
    (_list(_AUTHORIZATION), "authorizationList"),
)
_RECEIPT_OPTIONAL = _readers((small_quantity, "type blobGasUsed blobGasPrice"))
MAX_TOPICS = 4
UNEXPLAINED = Failure(FailureKind.OTHER, "execution failed before the fork; a trace says how")
"""The failure of a transaction before the fork: a receipt does not say more."""


@dataclass(frozen=True, slots=True)
class PlacedLog:
    """A log with its place in the chain; `index` is that in the block."""

    log: Log
    block_number: int
    block_hash: Hash32
    transaction_hash: Hash32
    transaction_index: int
    index: int
    block_timestamp: int | None = None  # not every node says


class UpstreamTransaction(Transaction):
    """A transaction that another node answered.

    What only executing it needs is computed when it is first used: its bytes, if they can be known,
    py-evm's object, if it is of a type that can be executed, and the gas that it costs before.
    """

    __slots__ = ("_rules",)

    def __init__(self, rules: Rules, answered: Mapping[str, Any]) -> None:
        kind = answered.get("type") or LEGACY
        y_parity, cap = answered.get("yParity"), answered.get("maxFeePerGas")
        values = {
            "_rules": rules,
            "hash": Hash32(answered["hash"]),
            "sender": Address(answered["from"]),
            "nonce": answered["nonce"],
            "gas_price": answered["gasPrice"] if cap is None else cap,
            "gas": answered["gas"],
            "to": answered["to"],
            "value": answered["value"],
            "data": answered["input"],
            "v": y_parity if kind and y_parity is not None else answered.get("v") or 0,
            "r": answered.get("r") or 0,
            "s": answered.get("s") or 0,
            "type": kind,
            "is_impersonated": False,
            "answered": answered,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in _EXECUTED:
            raise AttributeError(name)
        for field, value in zip(_EXECUTED, self._executed(), strict=True):
            object.__setattr__(self, field, value)
        return getattr(self, name)

    def _executed(self) -> tuple[bytes, Any, int]:
        # Not every transaction of a node has the last two: rollups have deposits, for example.
        # REMASC's is not signed.
        is_unsigned = not (self.v or self.r or self.s or self.gas or self.gas_price)
        if self._rules.has_merged_mining and is_unsigned and self.to == REMASC_ADDRESS:
            closing = ClosingTransaction(self.nonce, self.to, self.data)
            return closing.encode(), closing, 0
        raw = next((raw for raw in self._encodings() if keccak(raw) == self.hash), b"")
        if not raw:
            return b"", None, 0
        try:
            if self.type:
                signed = self._rules.vm_class.get_transaction_builder().decode(raw)
            else:
                price_and_gas = (self.nonce, self.gas_price, self.gas)
                common = (*price_and_gas, self.to or CREATION, self.value, self.data)
                signed = legacy_class(self._rules.vm_class)(*common, self.v, self.r, self.s)
            decoded = SignedTransaction(signed, raw, self.sender)
            executable = from_signed(decoded, signed.chain_id, self._rules)
        except (
            DevchainError,
            RLPException,
            ValidationError,
            PyEVMError,
            ValueError,
            TypeError,
            AttributeError,  # the builder of these rules has legacy transactions alone
        ):
            return raw, None, 0
        return raw, executable.signed, executable.intrinsic_gas

    def _encodings(self) -> Iterator[bytes]:
        answered = self.answered or {}
        common = [self.gas, self.to or b"", self.value, self.data]
        signature = [self.v, self.r, self.s]
        if self.type == LEGACY:
            yield rlp.encode([self.nonce, self.gas_price, *common, *signature])
            if self.gas_price == 0:  # rskj writes the price of what it has signed itself so
                yield rlp.encode([self.nonce, b"\0", *common, *signature])
            return
        listed = [[*entry.values()] for entry in answered.get("accessList") or ()]
        authorizations = [[*entry.values()] for entry in answered.get("authorizationList") or ()]
        caps = [answered.get("maxPriorityFeePerGas") or 0, self.gas_price]
        fees = [self.gas_price] if self.type == ACCESS_LIST else caps
        blob_fee, blobs = answered.get("maxFeePerBlobGas"), answered.get("blobVersionedHashes")
        others: dict[int, list[Any]] = {
            ACCESS_LIST: [],
            DYNAMIC_FEE: [],
            BLOB: [blob_fee or 0, blobs or []],
            SET_CODE: [authorizations],
        }
        if self.type in others:
            head = [answered.get("chainId") or 0, self.nonce, *fees, *common, listed]
            yield bytes([self.type]) + rlp.encode([*head, *others[self.type], *signature])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transaction) and other.hash == self.hash

    def __hash__(self) -> int:
        return hash(self.hash)


_EXECUTED = ("raw", "signed", "intrinsic_gas")
