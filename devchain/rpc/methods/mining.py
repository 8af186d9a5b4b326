"""Methods that control mining, snapshots and time, of ganache, Hardhat, anvil and geth's miner."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from devchain.chain.block import Block
from devchain.chain.slices import Slices
from devchain.config import MAX_EXTRA_DATA
from devchain.errors import InvalidInput
from devchain.node import Node, cheats
from devchain.rpc.json_codec import Converted, Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject, block_object
from devchain.rpc.scalar_decoders import Amount, Loose, Milliseconds
from devchain.types import Address, Hash32, MineRequest, PlacedTransaction

# Mining and snapshots

DONE = "0x0"


@rpc("evm_mine", slow=True)
def mine_block(node: Node, timestamp: MineRequest | None = None) -> Slices[str]:
    """Mine a block with the pending transactions, or several blocks; `0x0`.

    Takes a timestamp in seconds, or `{blocks, timestamp}`; the timestamp is that of the first
    block.
    """
    yield from node.mine_in_slices(timestamp or MineRequest())
    return DONE


@rpc("evm_increaseTime", "anvil_increaseTime")
def increase_time(node: Node, seconds: Loose) -> int:
    """Move the clock forward permanently; the total offset in seconds."""
    return node.clock.advance(seconds)


@rpc("evm_snapshot", "anvil_snapshot")
def snapshot(node: Node) -> int:
    """Take a snapshot of the whole node; its id, which is never reused."""
    return node.snapshots.take()


@rpc("evm_revert", "anvil_revert")
def revert(node: Node, snapshot_id: Loose) -> bool:
    """Restore the node to a snapshot; false if it does not exist.

    The snapshot remains and can be reverted to again; later snapshots are removed.
    """
    return node.revert(snapshot_id)


@rpc("evm_reset", slow=True)
def reset(node: Node) -> None:
    """Reset the chain to genesis; mempool, filters and snapshots are cleared."""
    node.reset()


@rpc("evm_startMining", slow=True)
def start_mining(node: Node) -> None:
    """Start automatic mining; pending transactions are mined now unless mining is by interval."""
    node.start_mining()


@rpc("evm_stopMining")
def stop_mining(node: Node) -> None:
    """Stop automatic and interval mining; `evm_mine` still works."""
    node.miner.running = False


# Blocks and headers

MIN_GAS_LIMIT = 21_000
MAX_GAS_LIMIT = 2**53 - 1
MAX_INTERVAL = 10**9
BLOCK_OBJECT_BYTES = 4_096
"""More than an empty block takes as JSON."""
ONE = Loose(1)


@rpc("hardhat_mine", "anvil_mine", slow=True)
def mine(node: Node, blocks: Loose = ONE, interval: Loose | None = None) -> Slices[bool]:
    """Mine a number of blocks, with an interval between their timestamps in seconds; true.

    The first block has the current time, as in Hardhat, and gets the pending transactions; an
    interval of 0 is one second. Error -32602 for more blocks than one request may mine. Other
    requests are answered meanwhile. If a block fails, those before it stay, and the error says how
    many there are.
    """
    yield from node.mine_in_slices(MineRequest(blocks, interval=interval))
    return True


@rpc("evm_mine_detailed", "anvil_mine_detailed", slow=True)
def mine_detailed(node: Node, request: MineRequest | None = None) -> Slices[Collection[JsonObject]]:
    """Mine blocks as `evm_mine` does; the blocks with their transaction objects.

    Error -32602 for more blocks than fit into an answer (`--max-response`).
    """
    request = request or MineRequest()
    most = node.config.max_response // BLOCK_OBJECT_BYTES
    if request.blocks > most:
        raise InvalidInput(f"at most {most} blocks fit into an answer: use evm_mine")
    blocks: list[Block] = []
    yield from node.mine_in_slices(request, blocks)
    return Converted(partial(block_object, full=True), blocks)


@rpc("evm_setAutomine", "anvil_setAutomine", "hardhat_setAutomine", slow=True)
def set_automine(node: Node, enabled: bool) -> bool:
    """Turn automatic mining on or off; true. Turning it on mines pending transactions at once.

    Interval mining does not change; with the preset of anvil it ends when automatic mining begins.
    """
    if enabled and node.config.preset.one_mining_mode:
        node.miner.set_interval(None)
    node.miner.set_automine(on=enabled)
    node.mine_if_automatic()
    return True


@rpc("hardhat_getAutomine", "anvil_getAutomine")
def get_automine(node: Node) -> bool:
    """Whether transactions are mined when they arrive."""
    return node.miner.automatic


@rpc("evm_setIntervalMining")
def set_interval_milliseconds(node: Node, interval: Milliseconds) -> bool:
    """Mine blocks at an interval in milliseconds, as in Hardhat; 0 stops it; true.

    For a range `[min, max]` the interval is its middle. Automatic mining does not change. With the
    preset of anvil it is `anvil_setIntervalMining`.
    """
    if node.config.preset.one_mining_mode:
        return set_interval_seconds(node, Loose(interval))
    if interval > MAX_INTERVAL * 1000:
        raise InvalidInput(
            f"an interval of {interval} milliseconds is too long: give at most 10^12"
        )
    node.miner.set_interval(interval / 1000 if interval else None)
    return True


@rpc("anvil_setIntervalMining")
def set_interval_seconds(node: Node, interval: Loose) -> bool:
    """Mine blocks at an interval in seconds instead of automatically, as in anvil; true.

    0 stops it; transactions then stay pending until another method mines them.
    """
    if interval > MAX_INTERVAL:
        raise InvalidInput(f"an interval of {interval} seconds is too long: give at most 10^9")
    node.miner.set_interval(interval or None)
    node.miner.set_automine(on=False)
    return True


@rpc("anvil_getIntervalMining")
def get_interval_mining(node: Node) -> Number | None:
    """Seconds between interval blocks, a JSON number rounded up; null without interval mining."""
    seconds = node.miner.block_time if node.miner.running else None
    return None if seconds is None else Number(-(-seconds // 1))


@rpc("hardhat_setCoinbase", "anvil_setCoinbase", "miner_setEtherbase")
def set_coinbase(node: Node, address: Address) -> bool:
    """Set the address that receives the fees of the next blocks; true."""
    node.miner.coinbase = address
    return True


@rpc("hardhat_setNextBlockBaseFeePerGas", "anvil_setNextBlockBaseFeePerGas")
def set_next_block_base_fee_per_gas(node: Node, base_fee: Amount) -> bool:
    """Set the base fee of the next block, in wei; true.

    The base fees of later blocks follow from it. Rootstock has no base fee: there it sets the
    minimum gas price of the next block.
    """
    node.chain.set_next_block(base_fee=base_fee)
    return True


@rpc("hardhat_setMinGasPrice", "anvil_setMinGasPrice")
def set_min_gas_price(node: Node, price: Amount) -> bool:
    """Set the minimum gas price of the next blocks, in wei; true.

    Error -32602 under Ethereum's rules since London, whose blocks have a base fee: use
    `hardhat_setNextBlockBaseFeePerGas` there.
    """
    if not node.chain.rules.has_minimum_gas_price:
        raise InvalidInput(
            "hardhat_setMinGasPrice is not supported when EIP-1559 is active: "
            "use hardhat_setNextBlockBaseFeePerGas"
        )
    node.chain.set_next_block(minimum_gas_price=price)
    return True


@rpc("hardhat_setPrevRandao", "anvil_setPrevRandao", "anvil_setNextBlockPrevRandao")
def set_prev_randao(node: Node, value: Amount) -> bool:
    """Set the PREVRANDAO value of the next block, its `mixHash`; true.

    Error -32602 under rules without it: Rootstock's, and Ethereum's before Paris.
    """
    if not node.chain.rules.has_prev_randao:
        raise InvalidInput(
            f"blocks of {node.config.hardfork} have no random value: --hardfork prague has"
        )
    node.chain.set_next_block(prev_randao=Hash32(value.to_bytes(32, "big")))
    return True


@rpc("evm_setBlockGasLimit", "anvil_setBlockGasLimit", "hardhat_setBlockGasLimit")
def set_block_gas_limit(node: Node, limit: Loose) -> bool:
    """Set the gas limit of the next blocks, at once instead of in steps; true.

    Transactions in the mempool that no longer fit are dropped, as in Hardhat. Error -32602 below
    21000, with which no transaction could be mined.
    """
    if not MIN_GAS_LIMIT <= limit <= MAX_GAS_LIMIT:
        raise InvalidInput(
            f"gas limit {limit} is out of range: give {MIN_GAS_LIMIT} to {MAX_GAS_LIMIT}"
        )
    node.chain.set_next_block(gas_limit=limit)
    node.mempool.drop_oversized()
    return True


@rpc("anvil_rollback", slow=True)
def rollback(node: Node, depth: Loose = ONE) -> bool:
    """Remove the newest blocks and their transactions; true.

    Logs of them that were polled are returned again as removed; their snapshots are removed too.
    The clock does not change. Error -32602 for more blocks than there are.
    """
    cheats.rollback(node, depth)
    return True


@rpc("anvil_reorg", slow=True)
def reorg(node: Node, depth: Loose, transactions: list[PlacedTransaction]) -> bool:
    """Replace the newest blocks by the same number of new ones; true.

    Each transaction, raw or as call object to be signed by the node, goes into the new block of the
    index it is paired with, from 0. The transactions of the old blocks are dropped. If a
    transaction is rejected, nothing changes.
    """
    cheats.reorg(node, depth, transactions)
    return True


# The miner's mode, as in ganache and geth


@rpc("miner_start", slow=True)
def start(node: Node, threads: Loose | None = None) -> bool:
    """Start mining as `evm_startMining` does; true. The number of threads has no effect."""
    node.start_mining()
    return True


@rpc("miner_stop")
def stop(node: Node) -> bool:
    """Stop automatic and interval mining; `evm_mine` still works; true."""
    node.miner.running = False
    return True


@rpc("miner_setGasPrice")
def set_gas_price(node: Node, price: Amount) -> bool:
    """Set the gas price of transactions that name none, in wei, and the minimum of others; true.

    On Rootstock it is the minimum gas price of the next blocks, under Ethereum's rules since London
    the priority fee of transactions that name none, which `eth_maxPriorityFeePerGas` returns.
    """
    node.chain.set_next_block(minimum_gas_price=price)
    return True


@rpc("miner_setExtra")
def set_extra(node: Node, extra: bytes) -> bool:
    """Set the `extraData` of the next blocks; true. Error -32602 for more than 32 bytes."""
    if len(extra) > MAX_EXTRA_DATA:
        raise InvalidInput(
            f"extra exceeds max length: {len(extra)} bytes, a header has at most {MAX_EXTRA_DATA}"
        )
    node.chain.set_next_block(extra_data=extra)
    return True


# The clock

MAX_SECONDS = 10**11
"""Larger times are in milliseconds: in seconds this is the year 5138."""


@rpc("evm_setNextBlockTimestamp", "anvil_setNextBlockTimestamp", "hardhat_setNextBlockTimestamp")
def set_next_block_timestamp(node: Node, timestamp: Loose) -> bool:
    """Set the timestamp of the next block, in seconds; true.

    The clock continues from there once the block is mined. Error -32602 if it is not after the
    timestamp of the latest block.
    """
    newest = node.chain.head.timestamp
    if timestamp <= newest:
        raise InvalidInput(
            f"timestamp {timestamp} is not after the head's; give at least {newest + 1}"
        )
    node.clock.set_next_timestamp(timestamp)
    return True


@rpc("evm_setTime", "anvil_setTime")
def set_time(node: Node, time: Loose) -> Number:
    """Set the clock to a time in seconds, or in milliseconds as in ganache; the change in seconds.

    Values above 10^11 are milliseconds. A time before the latest block is taken as that block's.
    The result is a JSON number, negative if the clock went back.
    """
    return Number(node.clock.set(time // 1000 if time > MAX_SECONDS else time))


@rpc("anvil_setBlockTimestampInterval")
def set_block_timestamp_interval(node: Node, seconds: Loose) -> bool:
    """Set a fixed interval between block timestamps, in seconds, independent of the clock; true."""
    _set_interval(node, seconds)
    return True


@rpc("hardhat_setBlockTimestampInterval")
def set_block_timestamp_interval_milliseconds(node: Node, milliseconds: Loose) -> bool:
    """Set a fixed interval between block timestamps, in milliseconds rounded to seconds; true.

    Hardhat has no such method; viem sends it in its mode `hardhat`.
    """
    _set_interval(node, (milliseconds + 500) // 1000)
    return True


def _set_interval(node: Node, seconds: int) -> None:
    if not 1 <= seconds <= MAX_INTERVAL:
        raise InvalidInput(f"an interval of {seconds} seconds is out of range: give 1 to 10^9")
    node.clock.step = seconds


@rpc("anvil_removeBlockTimestampInterval", "hardhat_removeBlockTimestampInterval")
def remove_block_timestamp_interval(node: Node) -> bool:
    """Remove the fixed interval between block timestamps; whether one was set."""
    was_set = node.clock.step is not None
    node.clock.step = None
    return was_set
