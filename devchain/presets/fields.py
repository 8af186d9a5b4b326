"""What a preset can change, with devchain's own values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from devchain.errors import DevchainError

ANY_METHOD = ""  # the key of `Preset.errors` for rows that hold for every method
VM_EXCEPTION = "VM Exception while processing transaction: "


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What a client gets for a class of errors: message and code; None keeps devchain's own.

    `text` is a format string, `Block {error.number:#x} not found`, or a function of the error.
    """

    text: str | Callable[[Any], str] | None = None
    code: int | None = None

    def message(self, error: DevchainError) -> str:
        if self.text is None:
            return str(error)
        return self.text.format(error=error) if isinstance(self.text, str) else self.text(error)


@dataclass(frozen=True, slots=True)
class ResultInstead:
    """The result that a client gets where devchain has an error, as JSON."""

    value: Any


ErrorRows = Mapping[type[DevchainError], ErrorText | ResultInstead]


class BlockForm(StrEnum):
    """How a block parameter may be written besides QUANTITY, `latest`, `earliest`, `pending`."""

    FINAL_TAG = "safe, finalized"
    DECIMAL = "decimal text"
    INTEGER = "JSON integer"
    HASH = "hash"
    OBJECT = "EIP-1898 object"


DataMembers = Mapping[str, str]
"""The members of `data` of an error, each with an attribute of the error; or `message` or `kind`.

`kind` is `revert`, or what else ended the execution. Without a stack trace there is no member for
it.
"""

SENT, REFUSED = "sent", "refused"
"""Keys of `Preset.error_data`: for transactions that are mined and fail, for other errors."""

HASH_AND_PAYLOAD: DataMembers = {
    "message": "message",
    "txHash": "transaction_hash",
    "data": "payload",
    "stackTrace": "stack_trace",
}


UNLIMITED_SLOTS = 2**31
"""`account_slots` of nodes in which any number of an account's transactions may wait."""


class MissingGas(StrEnum):
    """The gas of a transaction that is sent without."""

    FIXED = "90000"
    ESTIMATE = "an estimate, or the block gas limit if it fails"


class EstimateFunds(StrEnum):
    """When `eth_estimateGas` checks that the sender can pay."""

    ALWAYS = "always"
    OF_CODE = "unless it is a transfer without data to an account without code"
    NEVER = "never"


@dataclass(frozen=True, kw_only=True, slots=True)
class Preset:
    """One node to be like: the defaults of `Config` that it changes, and what it does by choice.

    Code that serves requests reads these fields, of `Config.preset`, never a preset's name.
    """

    name: str = ""
    title: str = "devchain"  # what node it is, for the banner and the documentation
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of `Config` by the name of the field."""
    needs_rootstock: bool = False  # whether it is about Rootstock's rules only
    local_chain_id: int | None = None
    """The chain id of the network `local`, which then has no accounts but the derived ones."""

    # Errors

    errors: Mapping[str, ErrorRows] = field(default_factory=dict)
    """By method, or for `ANY_METHOD`: the rows that replace those of `rpc.errors.CODES`."""
    http_status: Mapping[int, int] = field(default_factory=dict)
    """The HTTP status of an answer by its JSON-RPC error code, where it is not 200."""
    error_data: Mapping[str, DataMembers] = field(default_factory=lambda: {SENT: HASH_AND_PAYLOAD})
    """What `data` of an error is: by method for failed executions, for `SENT` and for `REFUSED`.

    Without a row an execution has its payload, and no other error has `data`.
    """

    # Methods

    empty_batch_is_request: bool = True
    """Whether `[]` is a request, a wrong one, rather than a batch of no calls, answered `[]`."""
    unavailable: Mapping[str, int] = field(default_factory=dict)
    """Methods that only refuse (`MethodUnavailable`), with the number of their parameters."""
    parameter_counts: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    """Least and greatest number of parameters, None as in the signature, where they differ."""
    required_members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Members that the call object, the first parameter of those methods, has to have."""
    null_is_default: frozenset[str] = frozenset()
    """Methods of `parameter_counts` in which null for a required parameter means its default."""
    trailing_nulls_are_absent: bool = True
    """Whether nulls at the end of the parameters count as if they were not there."""
    missing_block_is_error: frozenset[str] = frozenset()
    """Methods that refuse an unknown block, their first parameter, instead of answering null."""
    constant_results: Mapping[str, Any] = field(default_factory=dict)
    """Methods whose result says nothing, with that result."""

    # How values may be written

    block_forms: Mapping[str, frozenset[BlockForm]] = field(default_factory=dict)
    """Methods that do not take a block in every form, with the forms they take."""
    hex_text_only: frozenset[str] = frozenset()
    """Methods that take numbers and DATA only as text with 0x and digits behind it."""
    quantities_may_be_decimal: bool = False  # as text; `0x` then is 0
    data_may_be_incomplete: bool = False
    """Whether DATA, addresses and hashes may lack 0x and, padded on the left, a first digit."""
    ignored_call_members: frozenset[str] = frozenset()
    """Members of call objects and transactions that count as if they were not there."""
    gas_price_excludes_caps: bool = True
    """Whether a call object with a gas price and fee caps is refused; else the price counts."""
    whole_words: frozenset[str] = frozenset()
    """Methods whose last parameter is DATA of exactly 32 bytes instead of a number."""
    data_must_equal_input: bool = True
    """Whether a call object with different `data` and `input` is refused; else `input` counts."""
    override_members_are_known: bool = True
    """Whether an unknown member of a state override is refused rather than ignored."""
    misspelt_members_are_refused: bool = True
    """Whether a misspelt member of a call object or log filter is refused rather than ignored."""
    null_log_blocks_are_absent: bool = True
    """Whether null for a block in a log filter means that it is absent, rather than an error."""

    # Limits and results

    log_limits_are_one: bool = True
    """Whether `max_logs` holds only over more than `max_log_blocks` blocks, not each for itself."""
    constant_methods: Mapping[str, Any] = field(default_factory=dict)
    """Methods that are there besides devchain's: they take no parameters and answer this."""
    network_accounts_first: bool = False
    """Whether `eth_accounts` begins with the network's own accounts, not with the derived ones."""
    unlock_unit: float = 1.0  # what `personal_unlockAccount` counts, in seconds

    # Filters

    trailing_null_topics_match: bool = False
    """Whether nulls at the end of a log filter's topics match logs that have fewer topics.

    A filter may then have any number of topics, and null among alternatives is no alternative.
    """
    polling_mines: bool = False  # `eth_getFilterChanges` mines if mining is automatic
    filter_logs_of_every_kind: bool = False
    """Whether `eth_getFilterLogs` of blocks and transactions has every hash, or is an error."""
    block_filters_begin_with_head: bool = False
    """Whether the first poll of a block filter answers the head at its installation, too.

    Clients that send first and then wait for a block (Truffle 4) otherwise wait for ever.
    """

    # Results

    result_shapes: Mapping[str, str] = field(default_factory=dict)
    """Methods whose results have another shape, with its name in `rpc.result_shapes.SHAPES`."""
    notification_shapes: Mapping[str, str] = field(default_factory=dict)
    """The same for the notifications `newHeads` and `logs`."""
    default_tracer: str = ""  # of traces that name none; empty for struct logs
    full_steps: bool = False
    """Whether each step of struct logs has memory and all known storage, as words without 0x."""

    # Sending

    missing_gas: MissingGas | None = None  # None: `FIXED` on Rootstock, else an estimate
    fee_cap_is_gas_price: bool = False
    """Whether a fee cap that is left out is the gas price, or covers twice the base fee."""
    underpriced_wait: bool = True
    """Whether without automatic mining a transaction waits for a lower base fee, or is refused."""
    any_higher_price_replaces: bool = False
    """Whether a fee cap that is higher by 1 wei replaces a transaction, whatever its tip."""
    first_account_sends: bool = False
    """Whether the first account sends a transaction that names no sender, or it is refused."""
    waits_for_nonces: bool = True
    """Whether with automatic mining a transaction may wait for an earlier nonce, or is refused."""
    one_mining_mode: bool = False
    """Whether interval mining and automatic mining end each other.

    `evm_setIntervalMining` then takes seconds, and 0 ends both.
    """

    # Calls

    estimate_funds: EstimateFunds = EstimateFunds.ALWAYS
    estimate_cap: int | None = None
    """The most gas that `eth_estimateGas` tries, in one run whose gas at its peak is the estimate.

    Calls then do not check the sender's funds, and an estimate runs in the block that is named,
    not in the next one. None for the exact estimate, which checks funds.
    """
    estimate_ignores_gas: bool = False
    """Whether `estimate_cap` is the gas of that run whatever gas a request has."""


DEVCHAIN = Preset()


def hosted(preset: Preset) -> Preset:
    """The preset on the hosted service: what its specification requires is required."""
    return replace(
        preset,
        parameter_counts={
            "eth_call": (2, None),
            "eth_getCode": (2, None),
            "eth_getStorageAt": (3, None),
            **preset.parameter_counts,
        },
        required_members={"eth_call": ("to",), "eth_estimateGas": ("to",)},
    )
