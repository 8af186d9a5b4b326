"""The fields of `Config` as arguments of `Node`, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TypedDict

Text = str | PathLike[str]
Texts = Text | Sequence[Text]


class NodeOptions(TypedDict, total=False):
    """Fields of `Config`, which says what they mean: `Node(network="test", accounts=3)`."""

    like: Text | None
    network: Text
    chain_id: int | None
    hardfork: Text
    engine: Text
    max_evm_memory: int
    gas_limit: int | None
    unlimited_contract_size: bool
    min_gas_price: int
    coinbase: Text
    remasc: bool
    federators: int
    automatic_peg: bool
    fixed_clock: int | None
    data_dir: Text | None
    init: Text | None
    predeploy: Texts
    load_state: Text | None
    dump_state: Text | None
    fork_url: Texts
    fork_block_number: int | None
    fork_transaction_hash: Text | None
    fork_hardfork: Texts
    fork_header: Texts
    retries: int
    timeout: float
    fork_retry_backoff: float
    fork_requests_per_second: float | None
    storage_caching: bool
    fork_cache: Text | None
    offline: bool
    accounts: int
    balance: int
    fund_accounts: Texts
    auto_impersonate: bool
    mnemonic: Text
    derivation_path: Text
    checksum_addresses: bool
    mining: bool | None
    extra_data: Text
    block_time: float | None
    account_slots: int
    pool_slots: int
    pool_bytes: int
    max_snapshots: int
    execution_timeout: float | None
    call_gas_cap: int | None
    state_overrides: bool
    revert_on_send: bool
    revert_code: int | None
    request_timeout: float
    batch_timeout: float
    max_response: int
    max_log_blocks: int
    max_logs: int
    max_log_values: int
    max_traces: int
    max_trace_size: int
    filter_timeout: int
    max_filters: int
    max_client_filters: int
    client_version: Text | None
    methods: Texts
    no_methods: Texts
    explorer: bool
    hosted: bool
    artifacts: Texts
    coverage: Text | None
    coverage_all: bool
    host: Text
    port: int
    bitcoin: bool
    bitcoin_port: int
    bitcoin_user: Text
    bitcoin_password: Text
    server: Text
    tls_cert: Text | None
    tls_key: Text | None
    ipc: Text | None
    api_key: Texts
    api_key_file: Text | None
    allow_host: Texts
    allow_origin: Texts
    max_body: int
    max_batch: int
    quiet: bool
    log_format: Text
