"""The rules of a hardfork for blocks and fees: what differs between Rootstock and Ethereum.

`Rules` is the interface, `RootstockRules` and `EthereumRules` implement it. Packages above `evm`
ask it and never compare the name of a hardfork. What differs in the execution of bytecode is
in the VM class, `vm_class`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, Self

from eth._utils.calculations import fake_exponential
from eth.constants import BLANK_ROOT_HASH, EMPTY_SHA256, EMPTY_UNCLE_HASH
from eth.vm.forks.cancun import constants as cancun
from eth.vm.forks.cancun.headers import calc_excess_blob_gas_cancun
from eth.vm.forks.london.constants import (
    BASE_FEE_MAX_CHANGE_DENOMINATOR,
    ELASTICITY_MULTIPLIER,
    INITIAL_BASE_FEE,
)
from eth.vm.forks.prague import constants as prague
from eth.vm.forks.prague.headers import calc_excess_blob_gas_prague

from devchain.errors import InvalidInput, RootstockOnly
from devchain.evm.headers import changed_header, header_fields
from devchain.evm.rootstock.gas import INIT_CODE_LIMIT, intrinsic_gas, typed_gas
from devchain.evm.rootstock.header import RootstockHeader, TypedTransactionsHeader
from devchain.evm.rootstock.precompiles import native_contracts
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.powpeg import free_senders
from devchain.evm.rootstock.upgrades import Rule, rules_of
from devchain.networks import GWEI, LOCAL, RBTC, is_since
from devchain.state.keccak import keccak
from devchain.state.state_database import SlotWrites
from devchain.types import ZERO_HASH, Address, BlockOverride, Hash32

EXTRA_DATA = b"devchain"
GENESIS_DIFFICULTY = 1
MAX_RBTC = 21_000_000 * RBTC  # which the Bridge has where no bitcoins are pegged in
GAS_PRICE_CAP = 80  # times the minimum gas price (RSKIP252)
NO_NONCE = bytes(8)
RANDAO_SEED = b"randao"
BEACON_ROOT_SEED = b"beacon root"
TRANSACTION_GAS_CAP = 2**24  # the largest gas limit of a transaction since Osaka (EIP-7825)
BLOB_BASE_COST = 2**13  # execution gas per blob that its fee should cover since Osaka (EIP-7918)
MAX_BLOCK_SIZE = 8 * 2**20  # bytes of a block's RLP since Osaka (EIP-7934)
TRANSACTION_TYPES = {"frontier": 0, "berlin": 1, "london": 2, "prague": 4}
"""The transaction type that a hardfork brings; blob transactions (3) are not supported."""

SYSTEM_CONTRACTS = {
    "cancun": (Address(cancun.BEACON_ROOTS_ADDRESS), cancun.BEACON_ROOTS_CONTRACT_CODE),
    "prague": (Address(prague.HISTORY_STORAGE_ADDRESS), prague.HISTORY_STORAGE_CONTRACT_CODE),
}
"""Contracts that blocks write to, by the hardfork that brings them: beacon roots (EIP-4788), block
hashes (EIP-2935)."""

BEACON_ROOTS_RING = cancun.HISTORY_BUFFER_LENGTH
HISTORY_RING = prague.HISTORY_SERVE_WINDOW  # blocks whose roots and hashes these keep, in turn

REQUEST_CONTRACTS = (
    Address(prague.WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS),
    Address(prague.CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS),
)
"""The contracts of withdrawal requests (EIP-7002) and consolidation requests (EIP-7251)."""


SYSTEM_CONTRACT_NAMES = {
    "BEACON_ROOTS_ADDRESS": cancun,
    "CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS": prague,
    "DEPOSIT_CONTRACT_ADDRESS": prague,
    "HISTORY_STORAGE_ADDRESS": prague,
    "WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS": prague,
}
"""System contracts in `eth_config` (EIP-7910), and the constants of their first hardfork."""

PRECOMPILE_NAMES = {
    **dict(enumerate((
        "ECREC", "SHA256", "RIPEMD160", "ID", "MODEXP", "BN254_ADD", "BN254_MUL", "BN254_PAIRING",
        "BLAKE2F", "KZG_POINT_EVALUATION", "BLS12_G1ADD", "BLS12_G1MSM", "BLS12_G2ADD",
        "BLS12_G2MSM", "BLS12_PAIRING_CHECK", "BLS12_MAP_FP_TO_G1", "BLS12_MAP_FP2_TO_G2",
    ), start=1)),
    0x100: "P256VERIFY",
    0x1000016: "SECP256K1_ADD",  # Rootstock (RSKIP516)
    0x1000017: "SECP256K1_MUL",
}  # fmt: skip
"""Names of precompiled contracts in `eth_config` (EIP-7910)."""


class BlobSchedule(NamedTuple):
    """The blobs of a block: target, maximum, and how fast their fee changes (EIP-7840)."""

    target: int
    max: int
    base_fee_update_fraction: int


CANCUN_BLOBS, PRAGUE_BLOBS = BlobSchedule(3, 6, 3_338_477), BlobSchedule(6, 9, 5_007_716)


class HeaderFields(NamedTuple):
    """The fields of a new header that the chain chooses; None leaves one to the rules."""

    timestamp: int
    coinbase: Address
    gas_limit: int
    minimum_gas_price: int
    difficulty: int = GENESIS_DIFFICULTY
    fork_data: bytes = b""
    base_fee: int | None = None
    prev_randao: Hash32 | None = None
    extra_data: bytes = EXTRA_DATA


class Rules(ABC):
    """What the chain and the node need to know of a hardfork; prices are in wei per gas."""

    vm_class: Any  # py-evm's
    unlimited_contract_size: bool  # of code, init code and transactions that carry it

    # Transactions

    transaction_types: frozenset[int] = frozenset({0})  # accepted (EIP-2718); 0 is legacy
    accepts_high_s: bool = False  # of signatures, in the upper half of the curve order (EIP-2)
    init_code_limit: int | None  # bytes that a transaction may carry; None for no limit
    transaction_gas_cap: int | None = None  # None if only the block limits it

    # Blocks

    block_size_limit: int | None = None  # bytes of a block's RLP; None for no limit
    genesis_fields: frozenset[str] = frozenset({"extra_data"})  # that a genesis file may set
    system_contracts: dict[Address, bytes]  # code by address, which a chain begins with
    genesis_balances: ClassVar[dict[Address, int]] = {}  # in wei, of contracts of the protocol
    ending_contracts: tuple[Address, ...] = ()  # that a block's end calls, since the Merge
    has_prev_randao: bool = False  # PREVRANDAO returns a block's `mixHash` (EIP-4399)
    empty_block_runs_nothing: bool = True
    """Whether a block without transactions has the state of its parent but for `slot_writes`.

    Unless one of `ending_contracts` is there.
    """

    blob_schedule: BlobSchedule | None = None  # None before blobs
    system_contract_names: dict[str, Address]  # of contracts that blocks read or write (EIP-7910)

    # Mining

    has_merged_mining: bool  # bitcoin blocks seal blocks, and REMASC gets their fees
    has_fork_data: bool = False  # bitcoin miners commit to fork detection data (RSKIP110)
    has_block_rewards: bool  # or withdrawals, system calls: blocks change the state
    block_reward: int = 0  # what the miner of a block gets beside its fees, in wei

    # Prices

    has_minimum_gas_price: bool  # which the miner chooses, instead of a base fee
    default_priority_fee: int  # above the lowest price, of transactions without one
    price_bump_percent: int  # that a replacement of a transaction has to pay more
    underpriced_prefix: str  # of the error for a replacement that pays too little

    follows_geth: bool
    """Whether nodes of that chain do as geth where it differs from the Rootstock node.

    It is no question of consensus: the form of results, texts and defaults of transactions.
    """

    def __init__(
        self, hardfork: str, vm_class: Any, *, unlimited_contract_size: bool = False
    ) -> None:
        self.hardfork = hardfork
        self.vm_class = vm_class
        self.unlimited_contract_size = unlimited_contract_size
        self._set_up(hardfork)

    @abstractmethod
    def _set_up(self, hardfork: str) -> None:
        """Set the attributes that depend on the hardfork."""

    def with_state(self, **members: Any) -> Self:
        """The same rules with other members of the VM's state class, as `vm_with` has them."""
        vm_class = vm_with(self.vm_class, **members)
        return type(self)(
            self.hardfork, vm_class, unlimited_contract_size=self.unlimited_contract_size
        )

    @abstractmethod
    def intrinsic_gas(self, transaction: Any) -> int:
        """The lowest gas limit with which a py-evm transaction is valid."""

    def is_free(self, to: bytes, sender: Address, chain_id: int) -> bool:  # noqa: ARG002  # some need it
        """Whether a transaction costs no gas."""
        return False

    @abstractmethod
    def legacy_gas(self, to: bytes, data: bytes) -> tuple[int, int]:
        """The gas that a legacy transaction is charged before code runs, and its lowest limit."""

    def typed_gas(self, unsigned: Any) -> tuple[int, int]:
        """The same of a py-evm transaction of another type, unsigned."""
        return int(unsigned.intrinsic_gas), self.intrinsic_gas(unsigned)

    def slot_writes(self, header: Any) -> tuple[SlotWrites, ...]:  # noqa: ARG002  # some need it
        """What is written before a block's first transaction."""
        return ()

    def begin_block(self, state: Any, header: Any) -> None:
        for address, code, slots in self.slot_writes(header):
            if state.get_code(address) == code:
                for slot, value in slots:
                    state.set_storage(address, slot, value)

    def block_ends_plainly(self, state: Any, loggers: Collection[bytes]) -> bool:  # noqa: ARG002  # as above
        """Whether the end of a block with logs of those contracts leaves state and header."""
        return True

    @abstractmethod
    def genesis_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block with that state."""

    @abstractmethod
    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block after that parent header, before any transaction.

        `parent_hash` is the parent block's own, also if `parent` has an edited state root.
        """

    @abstractmethod
    def override_header(self, header: Any, override: BlockOverride) -> Any:
        """The header with those overrides; raises `InvalidInput` for a field that it lacks."""

    def fee_fields(self, fees: int) -> dict[str, Any]:  # noqa: ARG002  # as above
        """The header field for the sum of its transactions' fees, if there is one."""
        return {}

    def lowest_gas_price(self, header: Any) -> int:
        """The lowest gas price with which a transaction can be in that block, by its header."""
        return self.base_fee(header)

    def base_fee(self, header: Any) -> int:
        """The base fee of that block; 0 where blocks have none."""
        return int(getattr(header, "base_fee_per_gas", None) or 0)

    @abstractmethod
    def suggested_gas_price(self, lowest: int, tip: int) -> int:
        """The gas price for `eth_gasPrice`, given the lowest one and the priority fee."""

    def suggested_priority_fee(self, lowest: int, tip: int) -> int:
        """The price for `eth_maxPriorityFeePerGas`, given the same."""
        return self.suggested_gas_price(lowest, tip) - lowest

    def gas_price_cap(self, lowest: int) -> int | None:  # noqa: ARG002  # as above
        """The highest gas price that the mempool accepts; None if there is no cap."""
        return None

    @abstractmethod
    def without_base_fee(self, header: Any) -> Any:
        """The header for calls that pay no gas and so must not owe a base fee."""

    def without_lowest_gas_price(self, header: Any) -> Any:
        """The header of a block whose transactions may have a gas price of 0."""
        return self.without_base_fee(header)

    def require_rootstock(self, feature: str) -> None:
        """Raise `RootstockOnly` where that feature of Rootstock does not exist."""
        if not self.has_merged_mining:
            raise RootstockOnly(
                f"{feature} is Rootstock's and not available under --hardfork {self.hardfork}"
            )

    def stores_bytes(self, address: Address) -> bool:  # noqa: ARG002  # as above
        """Whether the account keeps byte strings in its storage, as the Bridge does."""
        return False

    def precompiled_abis(
        self,
        chain_id: int = LOCAL,  # noqa: ARG002  # some need it
    ) -> dict[Address, tuple[str, Callable[[], list[Any]]]]:
        """Names of precompiled contracts that have an ABI, and functions that return it as JSON."""
        return {}

    def precompile_names(self) -> dict[str, Address]:
        """The precompiled contracts by name, as `eth_config` lists them."""
        computation_class = self.vm_class.get_state_class().computation_class
        names = {address: name for address, (name, _) in self.precompiled_abis().items()}
        names |= {Address(number.to_bytes(20)): name for number, name in PRECOMPILE_NAMES.items()}
        addresses = map(Address, computation_class.get_precompiles())
        return {names[address]: address for address in addresses}


def vm_with(vm_class: Any, **members: Any) -> Any:
    """A VM class whose state class has other members, such as its `computation_class`."""
    state = vm_class.get_state_class()
    state = state.configure(__name__=state.__name__, **members)
    return vm_class.configure(__name__=vm_class.__name__, _state_class=state)


class RootstockRules(Rules):
    """Rootstock's rules: merged mining, a minimum gas price, REMASC, no base fee."""

    has_merged_mining = True
    has_block_rewards = False
    has_minimum_gas_price = True
    default_priority_fee = 0
    price_bump_percent = 40
    underpriced_prefix = ""
    follows_geth = False
    genesis_balances: ClassVar = {BRIDGE: MAX_RBTC}

    def _set_up(self, hardfork: str) -> None:
        self._changes = rules_of(hardfork)
        is_limited = Rule.INIT_CODE_LIMIT in self._changes and not self.unlimited_contract_size
        self.init_code_limit = INIT_CODE_LIMIT if is_limited else None
        self.system_contracts = {}  # the contracts of the protocol are precompiled
        self.system_contract_names = {}
        self.has_fork_data = is_since(hardfork, "wasabi")
        self._umm_root = b"" if is_since(hardfork, "papyrus") else None
        is_typed = Rule.TYPED_TRANSACTIONS in self._changes
        self._header_class = TypedTransactionsHeader if is_typed else RootstockHeader
        if is_typed:
            self.transaction_types = frozenset(TRANSACTION_TYPES.values())

    def intrinsic_gas(self, transaction: Any) -> int:
        return int(transaction.intrinsic_gas)

    def is_free(self, to: bytes, sender: Address, chain_id: int) -> bool:
        return to == BRIDGE and sender in free_senders(chain_id)

    def legacy_gas(self, to: bytes, data: bytes) -> tuple[int, int]:
        gas = intrinsic_gas(to, data, self._changes)
        return gas, gas

    def typed_gas(self, unsigned: Any) -> tuple[int, int]:
        gas = typed_gas(unsigned, self._changes)
        return gas, gas

    def genesis_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        return self._header_class(
            coinbase=fields.coinbase,
            state_root=state_root,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=fields.extra_data,
            minimum_gas_price=fields.minimum_gas_price,
        )

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        return self._header_class(
            parent_hash=parent_hash,
            coinbase=fields.coinbase,
            state_root=parent.state_root,
            difficulty=fields.difficulty,
            block_number=parent.block_number + 1,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=fields.extra_data,
            minimum_gas_price=fields.minimum_gas_price,
            umm_root=self._umm_root,
            fork_data=fields.fork_data,
        )

    def override_header(self, header: Any, override: BlockOverride) -> Any:
        """The header with those overrides; the base fee is the minimum gas price."""
        if override.random is not None:
            raise InvalidInput("prevRandao: Rootstock's blocks have none; give a difficulty")
        if override.blob_base_fee is not None:
            raise InvalidInput("blobBaseFee: Rootstock has no blobs; leave it out")
        return _with_overrides(header, override, minimum_gas_price=override.base_fee)

    def fee_fields(self, fees: int) -> dict[str, Any]:
        return {"paid_fees": fees}

    def lowest_gas_price(self, header: Any) -> int:
        return int(header.minimum_gas_price)

    def base_fee(self, header: Any) -> int:  # noqa: ARG002  # as in Rules
        """0, though the opcode BASEFEE returns the minimum gas price (RSKIP412)."""
        return 0

    def suggested_gas_price(self, lowest: int, tip: int) -> int:  # noqa: ARG002  # as in Rules
        return -(-lowest * 11 // 10)

    def suggested_priority_fee(self, lowest: int, tip: int) -> int:
        """The whole gas price, since there is no base fee."""
        return self.suggested_gas_price(lowest, tip)

    def gas_price_cap(self, lowest: int) -> int | None:
        return lowest * GAS_PRICE_CAP or None

    def without_base_fee(self, header: Any) -> Any:
        """The header itself: there is no base fee, and BASEFEE has to see the minimum gas price."""
        return header

    def without_lowest_gas_price(self, header: Any) -> Any:
        return header.copy(minimum_gas_price=0)

    def stores_bytes(self, address: Address) -> bool:
        return address == BRIDGE

    def precompiled_abis(
        self, chain_id: int = LOCAL
    ) -> dict[Address, tuple[str, Callable[[], list[Any]]]]:
        return {
            address: (contract.name, partial(contract.abi, self.hardfork, chain_id))
            for address, contract in native_contracts(self.hardfork).items()
        }


class EthereumRules(Rules):
    """Ethereum's rules: a base fee since London, transaction types since Berlin."""

    has_merged_mining = False
    has_block_rewards = True
    default_priority_fee = GWEI
    price_bump_percent = 10
    underpriced_prefix = "replacement transaction underpriced: "  # geth's
    follows_geth = True

    def _set_up(self, hardfork: str) -> None:
        since = partial(is_since, hardfork)
        self.transaction_types = frozenset(
            number for first, number in TRANSACTION_TYPES.items() if since(first)
        )
        self.accepts_high_s = not since("homestead")
        is_limited = since("shanghai") and not self.unlimited_contract_size
        self.init_code_limit = INIT_CODE_LIMIT if is_limited else None
        self.transaction_gas_cap = TRANSACTION_GAS_CAP if since("osaka") else None
        self.block_size_limit = MAX_BLOCK_SIZE if since("osaka") else None
        self.has_minimum_gas_price = not since("london")  # the header has no field for it
        base_fee = ("base_fee_per_gas",) if since("london") else ()
        self.genesis_fields = frozenset({"extra_data", "difficulty", "mix_hash", *base_fee})
        self.block_reward = int(self.vm_class.get_block_reward())  # 0 since Paris
        self.system_contracts = {
            address: code for first, (address, code) in SYSTEM_CONTRACTS.items() if since(first)
        }
        builder = self.vm_class.get_transaction_builder()
        legacy = builder.create_unsigned_transaction(
            nonce=0, gas_price=0, gas=0, to=Address(bytes(20)), value=0, data=b""
        )
        self._legacy_gas: Callable[[Any], int] = type(legacy).get_intrinsic_gas
        self._has_beacon_root = since("cancun")
        self._has_requests = since("prague")
        self.ending_contracts = REQUEST_CONTRACTS if self._has_requests else ()
        brought = {cancun: since("cancun"), prague: since("prague")}
        self.system_contract_names = {
            name: Address(getattr(constants, name))
            for name, constants in SYSTEM_CONTRACT_NAMES.items()
            if brought[constants]
        }
        if self._has_beacon_root:
            self.blob_schedule = PRAGUE_BLOBS if self._has_requests else CANCUN_BLOBS
        self.has_prev_randao = self.empty_block_runs_nothing = since("paris")
        self._next_excess_blob_gas: Callable[[Any], Any] = (
            _excess_blob_gas_with_reserve
            if since("osaka")
            else calc_excess_blob_gas_prague
            if since("prague")
            else calc_excess_blob_gas_cancun
        )

    def intrinsic_gas(self, transaction: Any) -> int:
        """The gas charged before any code runs; since Prague the floor for data if that is higher.

        py-evm charges the words of init code (EIP-3860) when the code starts to run.
        """
        executor = self.vm_class.get_state_class().transaction_executor_class
        floor = executor.calc_data_floor_gas(transaction, 0, 0)
        return max(int(transaction.intrinsic_gas), int(floor))

    def legacy_gas(self, to: bytes, data: bytes) -> tuple[int, int]:
        transaction = SimpleNamespace(to=to, data=data)  # all that py-evm reads of it
        transaction.intrinsic_gas = gas = self._legacy_gas(transaction)
        return gas, self.intrinsic_gas(transaction)

    def slot_writes(self, header: Any) -> tuple[SlotWrites, ...]:
        """The timestamp and the beacon block root (EIP-4788), the parent's hash (EIP-2935).

        A block at time 100,000 writes slot 100000 % 8191 = 1708 of the first contract, and slot
        1708 + 8191; block 9000 writes slot 8999 % 8191 = 808 of the second.
        """
        if not self._has_beacon_root:
            return ()
        time = header.timestamp
        index, root = time % BEACON_ROOTS_RING, int.from_bytes(header.parent_beacon_block_root)
        slots = ((index, time), (index + BEACON_ROOTS_RING, root))
        roots = SlotWrites(*SYSTEM_CONTRACTS["cancun"], slots)
        if not self._has_requests:
            return (roots,)
        parent = ((header.block_number - 1) % HISTORY_RING, int.from_bytes(header.parent_hash))
        return roots, SlotWrites(*SYSTEM_CONTRACTS["prague"], (parent,))

    def block_ends_plainly(self, state: Any, loggers: Collection[bytes]) -> bool:
        """Since Paris, unless there are requests to validators: the header has their hash.

        They come from logs of the deposit contract (EIP-6110), and of two contracts that a block
        calls if they are there.
        """
        if not self.has_prev_randao:
            return False
        return not self._has_requests or not (
            prague.DEPOSIT_CONTRACT_ADDRESS in loggers
            or any(map(state.get_code, self.ending_contracts))
        )

    def genesis_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        difficulty = 0 if self.has_prev_randao else GENESIS_DIFFICULTY
        return self._header(None, fields, difficulty=difficulty, state_root=state_root)

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """As `Rules`; since Paris without py-evm, which makes many objects."""
        changes: dict[str, Any] = {"parent_hash": parent_hash}
        if self.has_prev_randao:
            changes |= {
                "mix_hash": fields.prev_randao or _derived(RANDAO_SEED, parent_hash),
                "block_number": parent.block_number + 1,
                "coinbase": fields.coinbase,
                "gas_limit": fields.gas_limit,
                "timestamp": fields.timestamp,
                "extra_data": fields.extra_data,
                "difficulty": 0,
                "nonce": NO_NONCE,
                "uncles_hash": EMPTY_UNCLE_HASH,
                "gas_used": 0,
                "bloom": 0,
                "transaction_root": BLANK_ROOT_HASH,
                "receipt_root": BLANK_ROOT_HASH,
                "base_fee_per_gas": next_base_fee(parent),
            }
            if "withdrawals_root" in header_fields(parent):
                changes["withdrawals_root"] = BLANK_ROOT_HASH
            header = parent
        else:
            header = self._header(parent, fields)
        if self._has_beacon_root:
            changes["parent_beacon_block_root"] = _derived(BEACON_ROOT_SEED, parent_hash)
            changes |= {"blob_gas_used": 0, "excess_blob_gas": self.excess_blob_gas(parent)}
        if self._has_requests:
            changes["requests_hash"] = EMPTY_SHA256
        if fields.base_fee is not None and not self.has_minimum_gas_price:
            changes["base_fee_per_gas"] = fields.base_fee
        return changed_header(header, **changes)

    def excess_blob_gas(self, parent: Any) -> int:
        """The excess blob gas of a block after that parent header, since Cancun (EIP-4844)."""
        return int(self._next_excess_blob_gas(parent))

    def _header(self, parent: Any, fields: HeaderFields, **others: Any) -> Any:
        if self._has_beacon_root:
            others["parent_beacon_block_root"] = ZERO_HASH  # of the genesis block
        return self.vm_class.create_header_from_parent(
            parent,
            coinbase=fields.coinbase,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=fields.extra_data,
            **others,
        )

    def override_header(self, header: Any, override: BlockOverride) -> Any:
        if override.base_fee is not None and self.has_minimum_gas_price:
            raise InvalidInput(f"baseFeePerGas: {self.hardfork} has no base fee; leave it out")
        if override.blob_base_fee is not None and not self._has_beacon_root:
            raise InvalidInput(f"blobBaseFee: {self.hardfork} has no blobs; leave it out")
        if self.has_prev_randao and override.difficulty is not None:
            raise InvalidInput(f"difficulty: {self.hardfork} has none; give prevRandao")
        if not self.has_prev_randao and override.random is not None:
            raise InvalidInput(f"prevRandao: {self.hardfork} has none; give a difficulty")
        return _with_overrides(
            header, override, base_fee_per_gas=override.base_fee, mix_hash=override.random
        )

    def suggested_gas_price(self, lowest: int, tip: int) -> int:
        return lowest + tip

    def without_base_fee(self, header: Any) -> Any:
        has_base_fee = hasattr(header, "base_fee_per_gas")
        return changed_header(header, base_fee_per_gas=0) if has_base_fee else header


def next_base_fee(parent: Any) -> int:
    """The base fee of a block after that parent header, in wei per gas (EIP-1559)."""
    base_fee: int | None = getattr(parent, "base_fee_per_gas", None)
    if base_fee is None:
        return INITIAL_BASE_FEE
    used, target = parent.gas_used, parent.gas_limit // ELASTICITY_MULTIPLIER
    if used == target:
        return base_fee
    change: int = base_fee * abs(used - target) // target // BASE_FEE_MAX_CHANGE_DENOMINATOR
    return base_fee + max(change, 1) if used > target else base_fee - change


def _excess_blob_gas_with_reserve(parent: Any) -> int:
    # While execution costs more than the blob's own fee, the excess falls by less than the target.
    excess, used = (getattr(parent, name, 0) for name in ("excess_blob_gas", "blob_gas_used"))
    target, most = prague.TARGET_BLOB_GAS_PER_BLOCK, prague.MAX_BLOB_GAS_PER_BLOCK
    if excess + used < target:
        return 0
    blob_fee = fake_exponential(
        cancun.MIN_BLOB_BASE_FEE, excess, prague.BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE
    )
    if BLOB_BASE_COST * parent.base_fee_per_gas > cancun.GAS_PER_BLOB * blob_fee:
        return int(excess + used * (most - target) // most)
    return int(excess + used - target)


def _with_overrides(header: Any, override: BlockOverride, **special: Any) -> Any:
    values = {
        "block_number": override.number,
        "timestamp": override.timestamp,
        "gas_limit": override.gas_limit,
        "coinbase": override.coinbase,
        "difficulty": override.difficulty,
        **special,
    }
    changes = {name: value for name, value in values.items() if value is not None}
    return changed_header(header, **changes) if changes else header


def _derived(seed: bytes, parent_hash: Hash32) -> Hash32:
    # A header field that a beacon chain would give: derived, so that two runs give one block.
    return Hash32(keccak(seed + parent_hash))
