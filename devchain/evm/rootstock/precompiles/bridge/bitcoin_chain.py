"""Methods of the Bridge about the Bitcoin chain, whose headers it receives and keeps."""

from __future__ import annotations

from contextlib import suppress

from devchain.evm.rootstock.precompiles.bitcoin import (
    Reader,
    double_sha256,
    merkle_root,
    prove_transactions,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import methods, storage
from devchain.evm.rootstock.precompiles.bridge.block_store import (
    HEADER_SIZE,
    BlockStore,
    HeaderRejected,
    StoredHeader,
)
from devchain.evm.rootstock.precompiles.bridge.federation import require_federator
from devchain.evm.rootstock.precompiles.bridge.methods import local, peg_of, reading, writing
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed, int32

HEADERS_GAS, HEADER_GAS = 25_000, 3_500
CONFIRMATIONS_GAS, DEPTH_GAS, HASH_GAS = 27_000, 315, 144

RECEIVED = storage.slot_of("receiveHeadersLastTimestamp")  # by receiveHeader
SECONDS_BETWEEN_HEADERS = 300  # of receiveHeader
DEEPEST_ADDED = 25  # blocks below the best height at which receiveHeader adds a header
DEEPEST = 4_320  # blocks above one whose transactions are confirmed: a month of them
LARGEST_HEADER_BEFORE_WASABI = 85

# Answers of getBtcTransactionConfirmations.
BLOCK_NOT_FOUND = -1
BLOCK_NOT_IN_BEST_CHAIN = -2
BLOCK_INCONSISTENT = -3
BLOCK_TOO_OLD = -4
MERKLE_BRANCH_INVALID = -5

# Answers of receiveHeader.
CALLED_TOO_SOON = -1
HEADER_TOO_OLD = -2
PREVIOUS_BLOCK_MISSING = -3
BLOCK_KNOWN = -4
HEADER_SIZE_WRONG = -20
HEADER_INVALID = -99


# Reading


def _best_height(call: Call) -> int:
    return BlockStore(call).head.height


def _block_hash(call: Call, depth: int) -> bytes:
    store, depth = BlockStore(call), int32(depth)
    deepest = store.head.height - store.first.height
    block = store.at_depth(depth) if 0 <= depth <= deepest else None
    if block is None:
        raise PrecompileFailed(f"the depth has to be between 0 and {deepest}")
    return block.hash


def _header_by_hash(call: Call, block: bytes) -> bytes:
    stored = BlockStore(call).get(block)
    return stored.header if stored else b""


def _header_by_height(call: Call, height: int) -> bytes:
    try:
        stored = BlockStore(call).at_height(int32(height))
    except LookupError:
        return b""
    return stored.header if stored else b""


def _parent_header(call: Call, block: bytes) -> bytes:
    stored = BlockStore(call).get(block)
    return _header_by_hash(call, stored.parent) if stored else b""


def _confirmations(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    root = merkle_root(leaf, int32(path), branch)
    store = BlockStore(call)
    if (stored := store.get(block)) is None:
        return BLOCK_NOT_FOUND
    depth = max(0, store.head.height - stored.height)
    if depth > DEEPEST:
        return BLOCK_TOO_OLD
    try:
        if store.at_height(stored.height) != stored:
            return BLOCK_NOT_IN_BEST_CHAIN
    except LookupError:
        return BLOCK_INCONSISTENT
    return depth + 1 if has_root(call, stored, root) else MERKLE_BRANCH_INVALID


def _confirmations_gas(
    call: Call, _leaf: bytes, block: bytes, _path: int, branch: list[bytes]
) -> int:
    if call.upstream is None or storage.is_changed(call.state):
        store = BlockStore(call)
        stored = store.get(block)
        depth = max(0, store.head.height - stored.height) if stored else 0
        if stored is None or depth > DEEPEST:
            return CONFIRMATIONS_GAS
        return CONFIRMATIONS_GAS + depth * DEPTH_GAS + HASH_GAS * len(branch)
    # For a block without the transaction the depth does not follow, and is taken as 0.
    try:
        output = methods.call_upstream(
            call.upstream, "getBtcTransactionConfirmations", call.payload
        )
    except PrecompileFailed:
        return CONFIRMATIONS_GAS
    answer = int.from_bytes(output, signed=True)
    if answer in {BLOCK_NOT_FOUND, BLOCK_TOO_OLD}:
        return CONFIRMATIONS_GAS
    return CONFIRMATIONS_GAS + max(0, answer - 1) * DEPTH_GAS + HASH_GAS * len(branch)


# Headers


def _headers_gas(_: Call, headers: list[memoryview]) -> int:
    return HEADERS_GAS + HEADER_GAS * max(0, len(headers) - 1)


def _receive_header(call: Call, header: bytes) -> int:  # noqa: PLR0911  # a code each
    if len(header) != HEADER_SIZE:
        return HEADER_SIZE_WRONG
    store = BlockStore(call)
    if store.get(double_sha256(header)[::-1]) is not None:
        return BLOCK_KNOWN
    now = call.state.timestamp
    received = storage.load_number(call, RECEIVED)
    if received is not None and now - received < SECONDS_BETWEEN_HEADERS:
        return CALLED_TOO_SOON
    if (parent := store.get(header[4:36][::-1])) is None:
        return PREVIOUS_BLOCK_MISSING
    if store.head.height - (parent.height + 1) > DEEPEST_ADDED:
        return HEADER_TOO_OLD
    try:
        store.add(header)
    except HeaderRejected:
        return HEADER_INVALID
    storage.store_number(call, RECEIVED, now)
    return 0


def _receive_headers(call: Call, headers: list[memoryview]) -> None:
    # Open to everybody from Wasabi up to Papyrus (RSKIP124, RSKIP200).
    if not call.since("wasabi") or call.since("iris"):
        require_federator(call)
    largest = HEADER_SIZE if call.since("wasabi") else LARGEST_HEADER_BEFORE_WASABI
    if not all(HEADER_SIZE <= len(header) <= largest for header in headers):
        raise PrecompileFailed(f"the header of a bitcoin block has {HEADER_SIZE} bytes")
    if any(Reader(bytes(header[HEADER_SIZE:]) or b"\0").varint() for header in headers):
        raise PrecompileFailed("a header is without transactions")  # which bitcoinj would parse
    store = BlockStore(call)
    for header in (bytes(each[:HEADER_SIZE]) for each in headers):
        if store.is_late(header):
            break
        with suppress(HeaderRejected):
            store.add(header)


def _register_coinbase(  # noqa: PLR0913, PLR0917  # the method's arguments
    call: Call, coinbase: bytes, block: bytes, tree: bytes, witness_root: bytes, reserved: bytes
) -> None:
    root, proven = prove_transactions(tree)
    if double_sha256(coinbase)[::-1] not in proven:
        return
    if (stored := BlockStore(call).get(block)) is None:
        raise PrecompileFailed(f"the bridge does not have the bitcoin block {block.hex()}")
    # As in the real node, a proof of other transactions or of another block is ignored.
    if root != stored.merkle_root:
        return
    transaction = BitcoinTransaction.parse(coinbase).checked()
    commitment = double_sha256(witness_root[::-1] + reserved)
    # Before Lovell (RSKIP460) bitcoinj fails at a script that it cannot parse.
    found = transaction.witness_commitment(parses_scripts=not call.since("lovell"))
    if not transaction.is_coinbase or found != commitment:
        raise PrecompileFailed("the witness commitment of the coinbase transaction does not match")
    storage.store_rlp(call, _coinbase_slot(block), [witness_root])


def _coinbase_slot(block: bytes) -> int:
    return storage.hashed_slot_of(f"coinbaseInformation-{block.hex()}")


def has_root(call: Call, block: StoredHeader, root: bytes) -> bool:
    """Whether a Merkle root is a block's: that of its txids, or the witness root.

    The Bridge knows the witness root (BIP141) once the block's coinbase is registered.
    """
    items = storage.load_rlp(call, _coinbase_slot(block.hash)) if call.since("papyrus") else None
    return root in {block.merkle_root, storage.to_bytes(items[0]) if items else None}


METHODS = (
    local("getBtcBlockchainBestChainHeight() -> int256", 19_000, _best_height, "orchid", "iris"),
    reading("getBtcBlockchainBestChainHeight() -> int256", 19_000, _best_height, "iris"),
    local("getBtcBlockchainInitialBlockHeight() -> int256", 20_000,
          lambda call: peg_of(call).height),
    local("getBtcBlockchainBlockHashAtDepth(int256) -> bytes", 20_000, _block_hash),
    reading("getBtcBlockchainBestBlockHeader() -> bytes", 3_800,
            lambda call: BlockStore(call).head.header, "iris"),
    reading("getBtcBlockchainBlockHeaderByHash(bytes32) -> bytes", 4_600, _header_by_hash, "iris"),
    reading("getBtcBlockchainBlockHeaderByHeight(uint256) -> bytes", 5_000, _header_by_height,
            "iris"),
    reading("getBtcBlockchainParentBlockHeaderByHash(bytes32) -> bytes", 4_900, _parent_header,
            "iris"),
    reading("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[]) -> int256",
            _confirmations_gas, _confirmations, "wasabi"),
    reading("hasBtcBlockCoinbaseTransactionInformation(bytes32) -> bool", 5_000,
            lambda call, block: storage.load_rlp(call, _coinbase_slot(block)) is not None,
            "papyrus"),
    writing("receiveHeaders(bytes[])", 22_000, _receive_headers, "orchid", "wasabi"),
    writing("receiveHeaders(bytes[])", _headers_gas, _receive_headers, "wasabi"),
    writing("receiveHeader(bytes) -> int256", 10_600, _receive_header, "iris"),
    writing("registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", 10_000,
            _register_coinbase, "papyrus"),
)  # fmt: skip
