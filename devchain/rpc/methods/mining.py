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
    """Mine a block with the pending transactions, or several blocks. The result is `0x0`.

    `timestamp` is that of the first block.
    """
    yield from node.mine_in_slices(timestamp or MineRequest())
    return DONE


@rpc("evm_increaseTime", "anvil_increaseTime")
def increase_time(node: Node, seconds: Loose) -> int:
    """Move the clock forward permanently. Returns the total offset in seconds."""
    return node.clock.advance(seconds)


@rpc("evm_snapshot", "anvil_snapshot")
def snapshot(node: Node) -> int:
    """Take a snapshot of the whole node and return its id, which is never reused."""
    return node.snapshots.take()


@rpc("evm_revert", "anvil_revert")
def revert(node: Node, snapshot_id: Loose) -> bool:
    """Restore the node to a snapshot and remove later snapshots. False if it does not exist.

    The snapshot itself remains.
    """
    return node.revert(snapshot_id)


@rpc("evm_reset", slow=True)
def reset(node: Node) -> None:
    """Reset the chain to genesis, and clear mempool, filters and snapshots."""
    node.reset()


@rpc("evm_startMining", slow=True)
def start_mining(node: Node) -> None:
    """Start automatic mining, and mine pending transactions now unless mining is by interval."""
    node.start_mining()


@rpc("evm_stopMining")
def stop_mining(node: Node) -> None:
    """Stop automatic and interval mining. `evm_mine` still works."""
    node.miner.running = False


# Blocks and headers

MIN_GAS_LIMIT = 21_000
MAX_GAS_LIMIT = 2**53 - 1
MAX_INTERVAL = 10**9
BLOCK_OBJECT_BYTES = 4_096  # more than an empty block takes as JSON
ONE = Loose(1)


@rpc("hardhat_mine", "anvil_mine", slow=True)
def mine(node: Node, blocks: Loose = ONE, interval: Loose | None = None) -> Slices[bool]:
    """Mine a number of blocks, `interval` seconds apart. The first takes the pending transactions.

    Error -32602: too many blocks for one request. If a block fails, those before it stay, and the
    error says how many there are.
    """
    yield from node.mine_in_slices(MineRequest(blocks, interval=interval))
    return True


@rpc("evm_mine_detailed", "anvil_mine_detailed", slow=True)
def mine_detailed(node: Node, request: MineRequest | None = None) -> Slices[Collection[JsonObject]]:
    """Mine blocks as `evm_mine` does, and return them with transaction objects.

    Error -32602: the blocks do not fit into an answer (`--max-response`).
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
    """Turn automatic mining on or off. Turning it on mines pending transactions at once.

    Interval mining does not change. With `--like anvil`, automatic mining ends it.
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
    """Mine blocks at an interval in milliseconds, as Hardhat does. 0 stops it.

    For a range `[min, max]` the interval is its middle. Automatic mining does not change. With
    `--like anvil` this is `anvil_setIntervalMining`.
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
    """Mine blocks at an interval in seconds instead of automatically, as anvil does. 0 stops it."""
    if interval > MAX_INTERVAL:
        raise InvalidInput(f"an interval of {interval} seconds is too long: give at most 10^9")
    node.miner.set_interval(interval or None)
    node.miner.set_automine(on=False)
    return True


@rpc("anvil_getIntervalMining")
def get_interval_mining(node: Node) -> Number | None:
    """The seconds between interval blocks, rounded up. Null without interval mining."""
    seconds = node.miner.block_time if node.miner.running else None
    return None if seconds is None else Number(-(-seconds // 1))


@rpc("hardhat_setCoinbase", "anvil_setCoinbase", "miner_setEtherbase")
def set_coinbase(node: Node, address: Address) -> bool:
    """Set the address that receives the fees of the next blocks."""
    node.miner.coinbase = address
    return True


@rpc("hardhat_setNextBlockBaseFeePerGas", "anvil_setNextBlockBaseFeePerGas")
def set_next_block_base_fee_per_gas(node: Node, base_fee: Amount) -> bool:
    """Set the base fee of the next block, in wei. On Rootstock it sets the minimum gas price."""
    node.chain.set_next_block(base_fee=base_fee)
    return True


@rpc("hardhat_setMinGasPrice", "anvil_setMinGasPrice")
def set_min_gas_price(node: Node, price: Amount) -> bool:
    """Set the minimum gas price of the next blocks, in wei.

    Error -32602 under Ethereum's rules since London: use `hardhat_setNextBlockBaseFeePerGas`.
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
    """Set the PREVRANDAO value of the next block, its `mixHash`.

    Error -32602 under Rootstock's rules, and Ethereum's before Paris.
    """
    if not node.chain.rules.has_prev_randao:
        raise InvalidInput(
            f"blocks of {node.config.hardfork} have no random value: use --hardfork prague"
        )
    node.chain.set_next_block(prev_randao=Hash32(value.to_bytes(32, "big")))
    return True


@rpc("evm_setBlockGasLimit", "anvil_setBlockGasLimit", "hardhat_setBlockGasLimit")
def set_block_gas_limit(node: Node, limit: Loose) -> bool:
    """Set the gas limit of the next blocks, and drop transactions that no longer fit.

    Error -32602: a limit below 21000.
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
    """Remove the newest blocks with their transactions and snapshots. The clock does not change.

    Error -32602: there are fewer blocks.
    """
    cheats.rollback(node, depth)
    return True


@rpc("anvil_reorg", slow=True)
def reorg(node: Node, depth: Loose, transactions: list[PlacedTransaction]) -> bool:
    """Replace the newest blocks by the same number of new ones.

    Each transaction is raw, or a call object that the node signs. It is paired with the index of
    its new block, from 0. Transactions of the old blocks are dropped. If one is rejected, nothing
    changes.
    """
    cheats.reorg(node, depth, transactions)
    return True


# The miner's mode, as in ganache and geth


@rpc("miner_start", slow=True)
def start(node: Node, threads: Loose | None = None) -> bool:
    """Start mining as `evm_startMining` does. The number of threads has no effect."""
    node.start_mining()
    return True


@rpc("miner_stop")
def stop(node: Node) -> bool:
    """Stop automatic and interval mining. `evm_mine` still works."""
    node.miner.running = False
    return True


@rpc("miner_setGasPrice")
def set_gas_price(node: Node, price: Amount) -> bool:
    """Set the minimum gas price, and the gas price of transactions that name none, in wei.

    Under Ethereum's rules since London it sets the default priority fee instead.
    """
    node.chain.set_next_block(minimum_gas_price=price)
    return True


@rpc("miner_setExtra")
def set_extra(node: Node, extra: bytes) -> bool:
    """Set the `extraData` of the next blocks. Error -32602: more than 32 bytes."""
    if len(extra) > MAX_EXTRA_DATA:
        raise InvalidInput(
            f"extra exceeds max length: {len(extra)} bytes, a header has at most {MAX_EXTRA_DATA}"
        )
    node.chain.set_next_block(extra_data=extra)
    return True


# The clock

MAX_SECONDS = 10**11  # larger times are in milliseconds: in seconds this is the year 5138


@rpc("evm_setNextBlockTimestamp", "anvil_setNextBlockTimestamp", "hardhat_setNextBlockTimestamp")
def set_next_block_timestamp(node: Node, timestamp: Loose) -> bool:
    """Set the timestamp of the next block, in seconds. The clock continues from there.

    Error -32602: the timestamp is not after the latest block's.
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
    """Set the clock to a time in seconds, or in milliseconds as in ganache.

    Values above 10^11 are milliseconds. The clock does not go behind the latest block. The result
    is the change in seconds, a JSON number.
    """
    return Number(node.clock.set(time // 1000 if time > MAX_SECONDS else time))


@rpc("anvil_setBlockTimestampInterval")
def set_block_timestamp_interval(node: Node, seconds: Loose) -> bool:
    """Fix the seconds between block timestamps, independent of the clock."""
    _set_interval(node, seconds)
    return True


@rpc("hardhat_setBlockTimestampInterval")
def set_block_timestamp_interval_milliseconds(node: Node, milliseconds: Loose) -> bool:
    """Fix the milliseconds between block timestamps, rounded to seconds. viem sends it."""
    _set_interval(node, (milliseconds + 500) // 1000)
    return True


def _set_interval(node: Node, seconds: int) -> None:
    if not 1 <= seconds <= MAX_INTERVAL:
        raise InvalidInput(f"an interval of {seconds} seconds is out of range: give 1 to 10^9")
    node.clock.step = seconds


@rpc("anvil_removeBlockTimestampInterval", "hardhat_removeBlockTimestampInterval")
def remove_block_timestamp_interval(node: Node) -> bool:
    """Remove the fixed interval between block timestamps. False if none was set."""
    was_set = node.clock.step is not None
    node.clock.step = None
    return was_set
