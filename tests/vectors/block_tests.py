"""Blockchain tests: Ethereum's fixtures of whole blocks, imported one after another.

The format is that of `BlockchainTests` in ethereum/tests and of the blockchain tests that
execution-spec-tests releases: `genesisRLP`, `pre`, `blocks` with their RLP, `lastblockhash`, and
under `network` the hardfork or a transition between two.

A block is decoded, its header is checked against its parent's, its transactions are applied by the
builder and the executor of mined blocks, and the header that these end with has to be the block's
own. Proof of work is not checked, as in geth's runner. Uncles and blocks beside the head, which a
chain here cannot have, make a case unsupported, as do blocks that are payloads of the Engine API.

A mined block ignores requests to validators that cannot be read, since a node here has no
validators. An imported one is then invalid: if a contract of requests is missing or its call fails
(EIP-7002, EIP-7251), or if an event of the deposit contract has another layout (EIP-6110).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import rlp
from eth.abc import WithdrawalAPI
from eth.constants import BLANK_ROOT_HASH, EMPTY_SHA256, EMPTY_UNCLE_HASH
from eth.exceptions import PyEVMError
from eth.vm.forks.prague.constants import DEPOSIT_CONTRACT_ADDRESS, DEPOSIT_EVENT_SIGNATURE_HASH
from eth_hash.auto import keccak
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException
from rlp.sedes import CountableList

from devchain.chain.block import Block
from devchain.chain.block_builder import BlockBuilder
from devchain.chain.chain import HeaderStore
from devchain.chain.executor import FastExecutor, ReferenceExecutor
from devchain.chain.genesis import data, members, number, read_accounts, write_accounts
from devchain.chain.receipts import list_root
from devchain.chain.transaction import BLOB, Transaction, decode
from devchain.errors import DevchainError, ExecutionTimedOut, ExecutionTooLarge, InvalidInput
from devchain.evm.hardforks import rules_for
from devchain.evm.headers import changed_header, encode_header, header_fields
from devchain.evm.rules import EthereumRules, Rules
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.state.state_database import open_database
from devchain.types import MAX_UINT256, WORD_SIZE, Hash32, StateOverrides
from tests.vectors.state_tests import (
    BLOB_GAS,
    HARDFORK_NAMES,
    MAX_BLOBS,
    TOO_LARGE,
    CaseResult,
    chain_context,
    check_sender_and_blobs,
    read_chain_id,
    unsupported_fork,
)

TRANSITION = re.compile(r"(?P<before>\w+?)To(?P<after>\w+)At(?P<is_time>Time)?(?P<at>\d+)(?P<k>k?)")
"""Networks that change from one hardfork to another: BerlinToLondonAt5, at a block's number, and
ShanghaiToCancunAtTime15k, at a timestamp."""
NUMBER, TIMESTAMP = 8, 11
"""The positions of these fields in a header."""
NO_ITEMS = b"\xc0"
"""RLP of an empty list."""
ENGINE_PAYLOADS = "engineNewPayloads"
"""The member of tests of the Engine API that has the blocks."""
DEPOSIT_SIZE = 576
DEPOSIT_OFFSETS = {0: 160, 32: 256, 64: 320, 96: 384, 128: 512}
DEPOSIT_WORDS = DEPOSIT_OFFSETS | {160: 48, 256: 32, 320: 8, 384: 96, 512: 8}
"""The layout of a deposit's event, words by their offset: where its five values are, and sizes."""
MALFORMED = (RLPException, ValidationError, PyEVMError, TypeError, LookupError, RecursionError)
"""What py-evm raises beside `ValueError` for blocks that are not encoded as they should be."""


class BlockRejected(DevchainError):
    """A block that is not valid."""


class Unsupported(DevchainError):
    """A fixture that needs what a chain here cannot have."""


@dataclass(frozen=True, slots=True)
class BlockTestCase:
    """A case: a fixture's JSON object; `place` names it and its file in error messages."""

    name: str
    fork: str
    fixture: dict[str, Any]
    place: str
    index: int = 0

    def run(self, engine: str = "fast") -> CaseResult:
        """Import the blocks on the engine `fast` or `reference`.

        Raises `InvalidInput` for what is not of the format.
        """
        if ENGINE_PAYLOADS in self.fixture:
            missing = "tests of the Engine API are not supported"
            return CaseResult(missing, is_supported=False)
        try:
            schedule = _schedule(self.fork, engine)
        except Unsupported as missing:
            return CaseResult(str(missing), is_supported=False)
        read = self._read()
        chain = ImportedChain(schedule, engine, read.chain_id)
        try:
            chain.start(read.genesis, read.accounts)
        except ValueError as error:
            raise InvalidInput(f"{self.place}: genesis: {error}") from error
        try:
            difference = _import_blocks(chain, read.blocks)
        except Unsupported as missing:
            return CaseResult(str(missing), is_supported=False)
        difference = difference or _difference(chain, read)
        return CaseResult(difference, chain.head.state_root)

    def _read(self) -> BlockTestInput:
        try:
            post = self.fixture.get("postState")
            return BlockTestInput(
                read_chain_id(self.fixture),
                _genesis(self.fixture),
                read_accounts(self.fixture["pre"], "pre"),
                [
                    (data(each["rlp"], f"blocks[{index}].rlp"), _expected_error(each))
                    for index, each in enumerate(self.fixture["blocks"])
                ],
                Hash32(data(self.fixture["lastblockhash"], "lastblockhash")),
                None if post is None else read_accounts(post, "postState"),
            )
        except KeyError as missing:
            raise InvalidInput(f"{self.place}: {missing.args[0]!r} is missing") from missing
        except (InvalidInput, TypeError, AttributeError) as error:
            raise InvalidInput(f"{self.place}: {error}") from error


HEADER_FIELDS = {
    **dict.fromkeys(("parentHash", "uncleHash", "coinbase", "stateRoot"), bytes),
    **dict.fromkeys(("transactionsTrie", "receiptTrie", "bloom"), bytes),
    **dict.fromkeys(("difficulty", "number", "gasLimit", "gasUsed", "timestamp"), int),
    **dict.fromkeys(("extraData", "mixHash", "nonce"), bytes),
    "baseFeePerGas": int,
    "withdrawalsRoot": bytes,
    **dict.fromkeys(("blobGasUsed", "excessBlobGas"), int),
    **dict.fromkeys(("parentBeaconBlockRoot", "requestsHash"), bytes),
}
"""The members of a header in the order of its RLP; the later ones came with hardforks."""


def _genesis(fixture: dict[str, Any]) -> bytes:
    if "genesisRLP" in fixture:
        return data(fixture["genesisRLP"], "genesisRLP")
    header = members(fixture.get("genesisBlockHeader"), "genesisBlockHeader")
    fields = b"".join(
        encode_int(number(header[name], MAX_UINT256, name))
        if kind is int
        else encode_bytes(data(header[name], name))
        for name, kind in HEADER_FIELDS.items()
        if name in header
    )
    return wrap(wrap(fields) + NO_ITEMS * (3 if "withdrawalsRoot" in header else 2))


class BlockTestInput(NamedTuple):
    """What is read of a fixture: blocks with the error that is expected of each, if any is."""

    chain_id: int
    genesis: bytes
    accounts: StateOverrides
    blocks: list[tuple[bytes, str | None]]
    last: Hash32
    accounts_after: StateOverrides | None


def _expected_error(block: dict[str, Any]) -> str | None:
    if expected := block.get("expectException"):
        return str(expected)
    return None if "blockHeader" in block else "an error"


def _import_blocks(chain: ImportedChain, blocks: list[tuple[bytes, str | None]]) -> str | None:
    for index, (encoded, expected) in enumerate(blocks):
        try:
            chain.append(encoded)
        except BlockRejected as error:
            if expected is None:
                return f"block {index + 1} is rejected: {error}"
        else:
            if expected is not None:
                return f"block {index + 1} is accepted, want {expected!r}"
    return None


def _difference(chain: ImportedChain, read: BlockTestInput) -> str | None:
    head = chain.head
    if head.hash != read.last:
        return f"last block hash mismatch: got {head.hash.hex()}, want {read.last.hex()}"
    if read.accounts_after is None:
        return None
    root = write_accounts(open_database("reference"), read.accounts_after).root
    if root != head.state_root:
        return f"post state mismatch: got {head.state_root.hex()}, want {root.hex()}"
    return None


def block_cases(name: str, fixture: dict[str, Any], place: str) -> Iterator[BlockTestCase]:
    """The case of a fixture; raises `InvalidInput`."""
    member = ENGINE_PAYLOADS if ENGINE_PAYLOADS in fixture else "blocks"
    if not isinstance(fixture[member], list) or not isinstance(fixture.get("network"), str):
        raise InvalidInput(f"{name[:100]}: want a list of blocks and the name of a network")
    for each in fixture[member]:
        members(each, f"{name[:100]}.{member}")
    yield BlockTestCase(name, fixture["network"], fixture, place)


# Hardforks


@dataclass(frozen=True, slots=True)
class Schedule:
    """The rules of blocks: those `before`, and those `after` from a number or timestamp on."""

    before: Rules
    after: Rules
    at: int = 0
    is_time: bool = False

    def rules(self, number: int, timestamp: int) -> Rules:
        """The rules of the block with that number and timestamp."""
        return self.after if (timestamp if self.is_time else number) >= self.at else self.before


def _schedule(network: str, engine: str) -> Schedule:
    found = TRANSITION.fullmatch(network)
    names = (found["before"], found["after"]) if found else (network, network)
    if any(each not in HARDFORK_NAMES for each in names):
        raise Unsupported(unsupported_fork(network))
    before, after = (_checking(HARDFORK_NAMES[each], engine) for each in names)
    if found is None:
        return Schedule(before, after)
    at = int(found["at"]) * (1_000 if found["k"] else 1)
    return Schedule(before, after, at, bool(found["is_time"]))


@cache
def _checking(hardfork: str, engine: str) -> Rules:
    rules = rules_for(hardfork, engine)
    if not isinstance(rules, EthereumRules) or not rules.ending_contracts:
        return rules

    def execute_bytecode(self: Any, *args: Any, **kwargs: Any) -> Any:
        computation = super(checking, self).execute_bytecode(*args, **kwargs)
        if computation.is_error:
            address = kwargs["to"].hex()
            raise ValidationError(f"the call of the system contract 0x{address} fails")
        return computation

    plain = rules.vm_class
    checking: Any = plain.configure(__name__=plain.__name__, execute_bytecode=execute_bytecode)
    return EthereumRules(hardfork, checking)


@cache
def _with_blobs(rules: Rules) -> Rules:
    # The rules with blob transactions, if py-evm's of the hardfork have them.
    accepting = copy(rules)
    if hasattr(rules.vm_class.get_transaction_builder(), "new_unsigned_blob_transaction"):
        accepting.transaction_types |= {BLOB}
    return accepting


# Importing


@dataclass(frozen=True, slots=True)
class DecodedBlock:
    """A block as it was encoded, under the rules of its number and timestamp.

    `uncles` and `encoded_withdrawals` are RLP, the latter None before Shanghai.
    """

    rules: Rules
    header: Any
    hash: Hash32
    transactions: tuple[bytes, ...]
    uncles: bytes
    encoded_withdrawals: bytes | None
    withdrawals: tuple[WithdrawalAPI, ...]
    size: int


class ImportedChain:
    """A chain that grows by valid blocks that others have made; `head` is its newest block."""

    head: Block

    def __init__(self, schedule: Schedule, engine: str, chain_id: int) -> None:
        """Open an empty chain; `start` makes its first block."""
        self._schedule = schedule
        self._database = open_database(engine)
        self._chain_id = chain_id
        self._blocks: dict[Hash32, Block] = {}
        self._headers = HeaderStore(self._database, self._blocks.get)
        self._context = chain_context(chain_id)
        self._executor = ReferenceExecutor if engine == "reference" else FastExecutor

    def start(self, encoded: bytes, accounts: StateOverrides) -> None:
        """Begin with that block and its accounts; raises `ValueError` if they do not fit."""
        first = _decode_block(encoded, self._schedule)
        state = write_accounts(self._database, accounts)
        if state.root != first.header.state_root:
            wanted = first.header.state_root.hex()
            raise ValueError(f"the state root is {state.root.hex()}, want {wanted}")
        self._append(Block(first.header, first.hash, first.header.difficulty, state=state))

    def _append(self, block: Block) -> None:
        self._blocks[block.hash] = self.head = block

    def append(self, encoded: bytes) -> None:
        """Make a valid block the head; raises `BlockRejected` or `Unsupported`."""
        try:
            given = _decode_block(encoded, self._schedule)
        except ValueError as error:
            raise BlockRejected(str(error)) from error
        try:
            parent = self._blocks.get(given.header.parent_hash)
            if parent is None:
                raise BlockRejected("its parent is unknown")
            if parent is not self.head:
                raise Unsupported("a block beside the head: forks of the chain are not supported")
            _check_header(given, parent.header)
            _check_lists(given)
            block = self._build(given, parent)
        except (ValidationError, PyEVMError) as error:
            raise BlockRejected(str(error) or type(error).__name__) from error
        except ExecutionTooLarge as error:
            raise Unsupported(TOO_LARGE) from error
        except (Unsupported, BlockRejected, ExecutionTimedOut):
            raise
        except DevchainError as error:  # a transaction that cannot be in the block
            raise BlockRejected(str(error)) from error
        self._append(block)

    def _build(self, given: DecodedBlock, parent: Block) -> Block:
        # The block that the transactions make; raises unless it is the given one.
        rules = given.rules
        empty = {
            "state_root": parent.state_root,
            "transaction_root": BLANK_ROOT_HASH,
            "receipt_root": BLANK_ROOT_HASH,
            "gas_used": 0,
            "bloom": 0,
            "blob_gas_used": 0,
            "requests_hash": EMPTY_SHA256,
        }
        known = header_fields(given.header)
        header = changed_header(
            given.header, **{name: value for name, value in empty.items() if name in known}
        )
        executor = self._executor(rules, self._headers, self._context, header)
        builder = BlockBuilder(rules, executor, header)
        blobs = 0
        for raw in given.transactions:
            tx = decode(raw, self._chain_id, _with_blobs(rules))
            check_sender_and_blobs(builder.state, tx, rules)
            builder.apply_transaction(tx)
            blobs += _blobs_of(tx)
        _reward_uncles(builder.state, given)
        if given.withdrawals:
            _apply_withdrawals(builder.state, given.withdrawals)
        for address in rules.ending_contracts:
            if not builder.state.get_code(address):
                raise BlockRejected(f"the system contract 0x{address.hex()} is missing")
        built = builder.build_block(parent, sealed=True)
        if rules.ending_contracts:
            _check_deposits(built)
        checked = {"withdrawals_root", "blob_gas_used"} & set(known)
        _check_blob_gas(given, blobs)
        own = changed_header(
            built.header, **{name: getattr(given.header, name) for name in checked}
        )
        for name in known:
            if getattr(own, name) != (wanted := getattr(given.header, name)):
                found = getattr(own, name)
                raise BlockRejected(f"{name} mismatch: got {_shown(found)}, want {_shown(wanted)}")
        return Block(
            given.header,
            given.hash,
            built.total_difficulty,
            built.transactions,
            built.receipts,
            state=built.state,
        )


def _shown(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def split_list(encoded: bytes) -> list[bytes]:
    """The items of an encoded list, still encoded; raises `ValueError`."""
    try:
        items = rlp.decode(encoded)
    except MALFORMED as error:
        raise ValueError(str(error)) from error
    if not isinstance(items, list):
        raise ValueError("not a list")  # noqa: TRY004  # as for any other block
    return [rlp.encode(item) for item in items]


def decode_string(encoded: bytes) -> bytes:
    """The string that those bytes encode; raises `ValueError` for a list."""
    item = rlp.decode(encoded)
    if not isinstance(item, bytes):
        raise ValueError("not a string")  # noqa: TRY004  # likewise
    return item


def _parts(encoded: bytes) -> list[bytes]:
    # RLP of header, transactions, uncles and, since Shanghai, withdrawals.
    parts = split_list(encoded)
    if len(parts) not in (3, 4):
        raise ValueError(f"a block with {len(parts)} parts")
    return parts


def _decode_block(encoded: bytes, schedule: Schedule) -> DecodedBlock:
    raw_header, transactions, uncles, *others = _parts(encoded)
    fields = split_list(raw_header)
    if len(fields) <= TIMESTAMP:
        raise ValueError(f"a header with {len(fields)} fields")
    number, timestamp = (
        int.from_bytes(decode_string(fields[place])) for place in (NUMBER, TIMESTAMP)
    )
    rules = schedule.rules(number, timestamp)
    try:
        block: Any = rlp.decode(encoded, rules.vm_class.get_block_class())
    except MALFORMED as error:
        raise ValueError(str(error).split(chr(10), 1)[0]) from error
    header = block.header
    if encode_header(header) != raw_header:
        raise ValueError("the header is not in its canonical form")
    return DecodedBlock(
        rules,
        header,
        Hash32(keccak(raw_header)),
        tuple(
            each if each[:1] >= NO_ITEMS else decode_string(each)
            for each in split_list(transactions)
        ),
        uncles,
        others[0] if others else None,
        getattr(block, "withdrawals", ()),
        len(encoded),
    )


def _check_header(given: DecodedBlock, parent: Any) -> None:
    header, rules = given.header, given.rules
    rules.vm_class.validate_header(header, parent)
    if header.gas_used > header.gas_limit:
        raise ValidationError(f"gas used {header.gas_used} is above the limit {header.gas_limit}")
    if not rules.has_prev_randao:
        wanted = rules.vm_class.compute_difficulty(parent, header.timestamp)
        if header.difficulty != wanted:
            raise ValidationError(f"the difficulty is {header.difficulty}, want {wanted}")
    limit = rules.block_size_limit
    if limit is not None and given.size > limit:
        raise ValidationError(f"the block has {given.size} bytes, more than {limit}")
    if "excess_blob_gas" in header_fields(header):
        excess = rules.excess_blob_gas(parent)
        if header.excess_blob_gas != excess:
            raise ValidationError(f"the excess blob gas is {header.excess_blob_gas}, want {excess}")


def _check_lists(given: DecodedBlock) -> None:
    header = given.header
    if given.uncles != NO_ITEMS:
        if given.rules.has_prev_randao:
            raise ValidationError("a block with uncles after the Merge")
        raise Unsupported("blocks with uncles are not supported")
    if header.uncles_hash != EMPTY_UNCLE_HASH:
        raise ValidationError("the hash of uncles, of which there are none")
    if given.encoded_withdrawals is not None:
        root = list_root(split_list(given.encoded_withdrawals))
        if root != header.withdrawals_root:
            raise ValidationError(f"the root of withdrawals is not {root.hex()}")


def _check_deposits(block: Block) -> None:
    for log in (log for receipt in block.receipts for log in receipt.logs):
        is_deposit = log.topics[:1] == (DEPOSIT_EVENT_SIGNATURE_HASH,)
        if log.address != DEPOSIT_CONTRACT_ADDRESS or not is_deposit:
            continue
        words = {at: int.from_bytes(log.data[at : at + WORD_SIZE]) for at in DEPOSIT_WORDS}
        if len(log.data) != DEPOSIT_SIZE or words != DEPOSIT_WORDS:
            raise BlockRejected("the layout of a deposit's event is invalid")


def _blobs_of(tx: Transaction) -> int:
    return len(tx.signed.blob_versioned_hashes) if tx.type == BLOB else 0


def _check_blob_gas(given: DecodedBlock, blobs: int) -> None:
    if "blob_gas_used" not in header_fields(given.header):
        return
    most = MAX_BLOBS[given.rules.hardfork]
    if blobs > most:
        raise ValidationError(f"the block has {blobs} blobs, more than {most}")
    if given.header.blob_gas_used != blobs * BLOB_GAS:
        raise ValidationError(f"the blob gas used is not that of {blobs} blobs")


def _reward_uncles(state: Any, given: DecodedBlock) -> None:
    # Of blocks that are known to be valid: `append` refuses any with uncles.
    header, vm_class = given.header, given.rules.vm_class
    uncles: Any = rlp.decode(given.uncles, CountableList(type(header)))
    for uncle in uncles:
        reward = vm_class.get_uncle_reward(header.block_number, uncle)
        state.delta_balance(uncle.coinbase, reward)
        state.delta_balance(header.coinbase, vm_class.get_nephew_reward())


def _apply_withdrawals(state: Any, withdrawals: Sequence[WithdrawalAPI]) -> None:
    for each in withdrawals:
        each.validate()
        state.apply_withdrawal(each)
    for address in dict.fromkeys(each.address for each in withdrawals):
        if state.account_is_empty(address):
            state.delete_account(address)
