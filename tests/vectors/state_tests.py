"""State tests: Ethereum's fixtures of one transaction each, run on the rules of a hardfork.

The format is that of `GeneralStateTests` in ethereum/tests and of the state tests that
execution-spec-tests releases: `env`, `pre`, `transaction` with lists of data, gas limits and
values, and in `post` the expected state root and hash of the logs by hardfork. A case is one
combination of these under one hardfork.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import rlp
from eth.db.chain import ChainDB
from eth.exceptions import PyEVMError
from eth.vm.chain_context import ChainContext
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from eth_utils.exceptions import ValidationError

from devchain.chain.genesis import data, members, number, read_accounts, write_accounts
from devchain.chain.signing import sign
from devchain.chain.transaction import (
    ACCESS_LIST,
    BLOB,
    DYNAMIC_FEE,
    LEGACY,
    SET_CODE,
    SignedTransaction,
    Transaction,
    from_signed,
    with_sender,
)
from devchain.errors import ExecutionTooLarge, InvalidInput, TransactionRejected
from devchain.evm.hardforks import rules_for
from devchain.evm.headers import changed_header
from devchain.evm.rules import HeaderFields, Rules
from devchain.state.state_database import RetainedState, open_database
from devchain.types import (
    MAX_UINT64,
    MAX_UINT256,
    Address,
    Authorization,
    Hash32,
    StateOverrides,
    TransactionRequest,
)

Read = TypeVar("Read")

HARDFORK_NAMES = {
    "EIP150": "tangerinewhistle",
    "EIP158": "spuriousdragon",
    "ConstantinopleFix": "petersburg",
    "Merge": "paris",
} | {
    name: name.lower()
    for name in (
        "Frontier",
        "Homestead",
        "Byzantium",
        "Constantinople",
        "Istanbul",
        "MuirGlacier",
        "Berlin",
        "London",
        "ArrowGlacier",
        "GrayGlacier",
        "Paris",
        "Shanghai",
        "Cancun",
        "Prague",
        "Osaka",
    )
}
"""Our names of the hardforks by those that fixtures use."""

DEFAULT_BASE_FEE = 10
"""The base fee in wei of fixtures that leave it out, as in geth."""
MAX_BLOBS = {"cancun": 6, "prague": 9, "osaka": 9}
MAX_BLOBS_OF_TRANSACTION = {"osaka": 6}
"""EIP-7594 limits the blobs of a transaction, too."""
BLOB_GAS = 2**17
ANCESTORS = 256
MEMORY_LIMIT = 1280 * 1024**2
"""Bytes of memory that an execution may take; one fixture fills a megabyte in 1024 frames."""
TOO_LARGE = f"an execution that takes more than {MEMORY_LIMIT} bytes of memory is not supported"
DELEGATION = b"\xef\x01\x00"
BIG_INTEGER = "0x:bigint "
"""How fixtures begin numbers that are too large for their field."""
UNBOUNDED = 2**512


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What a case gave; `error` says how it differs from the fixture, None if it does not.

    `is_supported` is false if the case needs what is not there: the error then says what.
    `state_root` is that after the last block or transaction, None if the case could not be run.
    Gas, output and the hash of the logs are those of a state test's transaction; `gas_used` is None
    if it was rejected.
    """

    error: str | None
    state_root: Hash32 | None = None
    gas_used: int | None = None
    output: bytes = b""
    logs_hash: Hash32 | None = None
    is_supported: bool = True


@dataclass(frozen=True, slots=True)
class StateTestCase:
    """A case of a fixture: one entry in `post`, the `index`-th of those of its hardfork.

    `fixture` is the fixture's JSON object, `place` names it and the file in error messages.
    """

    name: str
    fork: str
    index: int
    fixture: dict[str, Any]
    place: str

    def run(self, engine: str = "fast") -> CaseResult:
        """Run it on the engine `fast` or `reference` and compare it with the fixture.

        Raises `InvalidInput` for what is not of the format.
        """
        if self.fork not in HARDFORK_NAMES:
            return CaseResult(unsupported_fork(self.fork), is_supported=False)
        return self.run_under(rules_for(HARDFORK_NAMES[self.fork], engine), engine)

    def run_under(self, rules: Rules, engine: str) -> CaseResult:
        """As `run`, under those rules, which are made for the engine."""
        expected = self.fixture["post"][self.fork][self.index]
        computation, rejection = None, None
        chain_id = self._read(lambda: read_chain_id(self.fixture))
        start, vm = self._read(lambda: _open(rules, engine, self.fixture, chain_id))
        state = vm.state
        try:
            tx = self._read(
                lambda: _transaction(
                    self.fixture["transaction"], expected["indexes"], chain_id, rules
                )
            )
            check_sender_and_blobs(state, tx, rules)
            vm.validate_transaction_against_header(vm.get_header(), tx.signed)
            state.lock_changes()
            computation = state.apply_transaction(tx.signed)
            state.persist()
        except ExecutionTooLarge:
            return CaseResult(TOO_LARGE, is_supported=False)
        except (TransactionRejected, ValidationError, PyEVMError) as error:
            rejection = str(error) or type(error).__name__
        root = start.root if computation is None else Hash32(state.state_root)
        logs = Hash32(keccak(rlp.encode(_log_items(computation))))
        difference = self._read(lambda: _difference(expected, rejection, root, logs))
        if computation is None:
            return CaseResult(difference, root, logs_hash=logs)
        gas_used = vm.finalize_gas_used(tx.signed, computation)
        return CaseResult(difference, root, gas_used, computation.output, logs)

    def _read(self, read: Callable[[], Read]) -> Read:
        try:
            return read()
        except KeyError as error:
            raise InvalidInput(f"{self.place}: {error.args[0]!r} is missing") from error
        except (InvalidInput, IndexError, TypeError, AttributeError) as error:
            raise InvalidInput(f"{self.place}: {error}") from error


def _difference(
    expected: dict[str, Any], rejection: str | None, root: Hash32, logs: Hash32
) -> str | None:
    wants_rejection = expected.get("expectException")
    if rejection is None and wants_rejection:
        return f"expected error {wants_rejection!r}, got no error"
    if rejection is not None and not wants_rejection:
        return f"unexpected error: {rejection}"
    wanted = data(expected["hash"], "post.hash")
    if root != wanted:
        return f"post state root mismatch: got {root.hex()}, want {wanted.hex()}"
    wanted = data(expected["logs"], "post.logs")
    if rejection is None and logs != wanted:
        return f"post state logs hash mismatch: got {logs.hex()}, want {wanted.hex()}"
    return None


def unsupported_fork(name: str) -> str:
    """The error of a fixture for a hardfork that is not known here."""
    return f"unsupported fork {name!r}; known are {', '.join(HARDFORK_NAMES)}"


def _log_items(computation: Any) -> list[Any]:
    return [
        [address, [topic.to_bytes(32, "big") for topic in topics], content]
        for address, topics, content in (computation.get_log_entries() if computation else ())
    ]


def state_cases(name: str, fixture: dict[str, Any], place: str) -> Iterator[StateTestCase]:
    """The cases of a fixture; raises `InvalidInput`."""
    where = name[:100]
    for member in ("env", "pre", "transaction", "post"):
        members(fixture.get(member), f"{where}.{member}")
    for fork, expected in fixture["post"].items():
        if not isinstance(expected, list):
            raise InvalidInput(f"{where}.post.{fork[:50]}: want a list")
        for index, each in enumerate(expected):
            members(members(each, f"{where}.post").get("indexes"), f"{where}.post.indexes")
            yield StateTestCase(name, fork, index, fixture, place)


# The block and its state


def read_chain_id(fixture: dict[str, Any]) -> int:
    """The chain id of a fixture, 1 if it has none; raises `InvalidInput`."""
    config = members(fixture.get("config") or {}, "config")
    return number(config.get("chainid", 1), MAX_UINT64, "config.chainid")


def _open(
    rules: Rules, engine: str, fixture: dict[str, Any], chain_id: int
) -> tuple[RetainedState, Any]:
    database = open_database(engine)
    accounts: StateOverrides = read_accounts(fixture["pre"], "pre")
    start = write_accounts(database, accounts)
    header = _header(rules, members(fixture["env"], "env"), start.root)
    context = chain_context(chain_id)
    vm = rules.vm_class(header, ChainDB(database), context, None)  # type: ignore[arg-type]  # as Chain
    ancestors = range(header.block_number - 1, max(-1, header.block_number - 1 - ANCESTORS), -1)
    hashes = (Hash32(keccak(str(each).encode())) for each in ancestors)
    execution = rules.vm_class.create_execution_context(header, hashes, context)
    # The state that the VM would open itself reads the hashes of ancestors from their headers.
    vm._state = rules.vm_class.get_state_class()(database, execution, start.root)
    return start, vm


def chain_context(chain_id: int) -> ChainContext:
    """The chain id for executions, with a limit of memory that fixtures do not reach."""
    context = ChainContext(chain_id)
    context.memory_limit = MEMORY_LIMIT  # type: ignore[attr-defined]  # as `evm.bounded` reads it
    return context


def _header(rules: Rules, env: dict[str, Any], root: Hash32) -> Any:
    def read(name: str, most: int = MAX_UINT256) -> int:
        return number(env[f"current{name}"], most, f"env.current{name}")

    fields = HeaderFields(
        timestamp=read("Timestamp", MAX_UINT64),
        coinbase=Address(_sized(env["currentCoinbase"], 20, "env.currentCoinbase")),
        gas_limit=read("GasLimit"),
        minimum_gas_price=0,
    )
    header = rules.genesis_header(fields, root)
    changes: dict[str, Any] = {"block_number": read("Number", MAX_UINT64)}
    if rules.has_prev_randao:
        changes["mix_hash"] = Hash32(read("Random").to_bytes(32, "big"))
    else:
        changes["difficulty"] = read("Difficulty")
    if hasattr(header, "base_fee_per_gas"):
        has_fee = env.get("currentBaseFee") is not None
        changes["base_fee_per_gas"] = read("BaseFee") if has_fee else DEFAULT_BASE_FEE
    if hasattr(header, "excess_blob_gas") and env.get("currentExcessBlobGas") is not None:
        changes["excess_blob_gas"] = read("ExcessBlobGas", MAX_UINT64)
    return changed_header(header, **changes)


def _sized(value: Any, size: int, where: str) -> bytes:
    found = data(value if str(value).startswith("0x") else f"0x{value}", where)
    if len(found) != size:
        raise InvalidInput(f"{where}: want {size} bytes, got {len(found)}")
    return found


# The transaction


def _transaction(
    value: dict[str, Any], indexes: dict[str, Any], chain_id: int, rules: Rules
) -> Transaction:
    # Raises `InvalidInput`, or `TransactionRejected` if the rules do not have such transactions.
    at = {name: number(indexes[name], MAX_UINT64, "indexes") for name in ("data", "gas", "value")}
    lists = value.get("accessLists")
    access = lists[at["data"]] if lists else None
    request = TransactionRequest(
        to=Address(_sized(value["to"], 20, "transaction.to")) if value.get("to") else None,
        gas=_amount(value["gasLimit"][at["gas"]], "transaction.gasLimit"),
        gas_price=_fee(value, "gasPrice"),
        value=_amount(value["value"][at["value"]], "transaction.value"),
        data=data(_prefixed(value["data"][at["data"]]), "transaction.data"),
        nonce=_amount(value["nonce"], "transaction.nonce"),
        chain_id=chain_id,
        type=_type(value, access),
        max_fee_per_gas=_fee(value, "maxFeePerGas"),
        max_priority_fee_per_gas=_fee(value, "maxPriorityFeePerGas"),
        access_list=tuple(_access(each) for each in access or ()),
        authorizations=tuple(_authorization(each) for each in value.get("authorizationList") or ()),
    )
    key = value.get("secretKey")
    private_key = _sized(key, 32, "transaction.secretKey") if key else b"\x01" * 32
    if request.type == BLOB:
        tx = _sign_blobs(request, value, private_key, chain_id, rules)
    else:
        tx = sign(request, private_key, chain_id, rules)
    return tx if key else with_sender(tx, Address(_sized(value["sender"], 20, "sender")))


def _type(value: dict[str, Any], access: Any) -> int:
    if value.get("authorizationList") is not None:
        return SET_CODE
    if value.get("maxFeePerBlobGas") is not None or value.get("blobVersionedHashes") is not None:
        return BLOB
    if value.get("maxFeePerGas") is not None:
        return DYNAMIC_FEE
    return LEGACY if access is None else ACCESS_LIST


def _prefixed(text: Any) -> Any:
    return text if not isinstance(text, str) or text.startswith("0x") else f"0x{text}"


def _amount(value: Any, where: str) -> int:
    if isinstance(value, str) and value.startswith(BIG_INTEGER):
        value = value.removeprefix(BIG_INTEGER)
        return int(value, 16) if len(value) < len(hex(UNBOUNDED)) else UNBOUNDED
    return 0 if value == "0x" else number(value, MAX_UINT256, where)


def _fee(value: dict[str, Any], name: str) -> int | None:
    return None if value.get(name) is None else _amount(value[name], f"transaction.{name}")


def _access(entry: dict[str, Any]) -> tuple[Address, tuple[int, ...]]:
    slots = tuple(number(each, MAX_UINT256, "accessLists") for each in entry["storageKeys"])
    return Address(_sized(entry["address"], 20, "accessLists")), slots


def _authorization(entry: dict[str, Any]) -> Authorization:
    def read(name: str) -> int:
        return number(entry[name], MAX_UINT256, f"authorizationList.{name}")

    return Authorization(
        chain_id=read("chainId"),
        address=Address(_sized(entry["address"], 20, "authorizationList.address")),
        nonce=read("nonce"),
        y_parity=read("yParity" if "yParity" in entry else "v"),
        r=read("r"),
        s=read("s"),
    )


def _sign_blobs(
    request: TransactionRequest,
    value: dict[str, Any],
    private_key: bytes,
    chain_id: int,
    rules: Rules,
) -> Transaction:
    builder = rules.vm_class.get_transaction_builder()
    if not hasattr(builder, "new_unsigned_blob_transaction"):
        raise TransactionRejected(f"{rules.hardfork} has no blob transactions (type 3)")
    if request.to is None:
        raise TransactionRejected("a blob transaction (type 3) creates no contract")
    hashes = value.get("blobVersionedHashes") or ()
    unsigned = builder.new_unsigned_blob_transaction(
        chain_id=chain_id,
        nonce=request.nonce,
        max_priority_fee_per_gas=request.max_priority_fee_per_gas,
        max_fee_per_gas=request.max_fee_per_gas,
        gas=request.gas,
        to=request.to,
        value=request.value,
        data=request.data,
        access_list=request.access_list,
        max_fee_per_blob_gas=_fee(value, "maxFeePerBlobGas") or 0,
        blob_versioned_hashes=[_sized(each, 32, "blobVersionedHashes") for each in hashes],
    )
    key = PrivateKey(private_key)
    raw = unsigned.as_signed_transaction(key, chain_id=chain_id).encode()
    sender = Address(key.public_key.to_canonical_address())
    return from_signed(SignedTransaction(builder.decode(raw), raw, sender), chain_id, rules)


def check_sender_and_blobs(state: Any, tx: Transaction, rules: Rules) -> None:
    """What py-evm does not check of a transaction in a block; raises `TransactionRejected`."""
    code = state.get_code(tx.sender)
    if code and not (code.startswith(DELEGATION) and SET_CODE in rules.transaction_types):
        raise TransactionRejected("the sender has code (EIP-3607)")
    if tx.nonce >= MAX_UINT64:
        raise TransactionRejected("the nonce is the largest there is (EIP-2681)")
    if tx.gas < tx.intrinsic_gas:
        raise TransactionRejected(f"the gas limit is below the intrinsic gas of {tx.intrinsic_gas}")
    if tx.priority_fee > tx.gas_price:
        raise TransactionRejected("the priority fee is above the fee cap (EIP-1559)")
    blobs = len(tx.signed.blob_versioned_hashes) if tx.type == BLOB else 0
    blob_cost = blobs * BLOB_GAS * tx.signed.max_fee_per_blob_gas if blobs else 0
    if state.get_balance(tx.sender) < tx.cost + blob_cost:
        raise TransactionRejected("the sender cannot pay for value, gas and blobs at the fee caps")
    cap = rules.transaction_gas_cap
    if cap is not None and tx.gas > cap:
        raise TransactionRejected(f"the gas limit is above {cap} (EIP-7825)")
    if tx.type == BLOB:
        most = MAX_BLOBS_OF_TRANSACTION.get(rules.hardfork, MAX_BLOBS[rules.hardfork])
        if blobs > most:
            raise TransactionRejected(f"more than {most} blobs")
