"""Methods that say when blocks are made and what is in their headers."""

from __future__ import annotations

from devchain.errors import AccountUnavailable, ExecutionTimedOut, InvalidInput, TransactionRejected
from devchain.node import Node, cheats
from devchain.rpc.decoders import Amount, Loose, Milliseconds
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject, block_object
from devchain.types import Address, Hash32, MineRequest, PlacedTransaction

LEAST_GAS_LIMIT = 21_000
MOST_GAS_LIMIT = 2**53 - 1
MOST_SECONDS = 10**9
ONE = Loose(1)


@rpc("hardhat_mine", "anvil_mine", raises=(ExecutionTimedOut,))
def mine(node: Node, blocks: Loose = ONE, interval: Loose | None = None) -> bool:
    """Make so many blocks, that many seconds apart; true.

    The first is made at the time it is, as in Hardhat, the others by the interval after it. What
    waits goes into the first. Error -32602 for more blocks than one request may ask for.
    """
    node.mine(MineRequest(blocks, interval=interval))
    return True


@rpc("evm_mine_detailed", "anvil_mine_detailed", raises=(ExecutionTimedOut,))
def mine_detailed(node: Node, request: MineRequest | None = None) -> list[JsonObject]:
    """Make blocks as `evm_mine` does; the blocks, with whole transactions."""
    height = node.chain.height
    node.mine(request or MineRequest())
    return [block_object(block, full=True) for block in node.chain.blocks_after(height)]


@rpc("evm_setAutomine", "anvil_setAutomine", "hardhat_setAutomine")
def set_automine(node: Node, enabled: bool) -> bool:
    """Mine transactions when they arrive, or no longer so; true. What waits is mined at once.

    Mining by interval goes on as it was.
    """
    node.miner.set_automine(on=enabled)
    node.mine_if_automatic()
    return True


@rpc("hardhat_getAutomine", "anvil_getAutomine")
def get_automine(node: Node) -> bool:
    """Whether transactions are mined when they arrive."""
    return node.miner.automatic


@rpc("evm_setIntervalMining")
def set_interval_milliseconds(node: Node, interval: Milliseconds) -> bool:
    """Mine every so many milliseconds, as in Hardhat; 0 stops that; true.

    Of a range `[least, most]` it is the middle. Automatic mining stays as it is.
    """
    if interval > MOST_SECONDS * 1000:
        msg = f"an interval of {interval} milliseconds is too long: give at most 10^12"
        raise InvalidInput(msg)
    node.miner.set_interval(interval / 1000 if interval else None)
    return True


@rpc("anvil_setIntervalMining")
def set_interval_seconds(node: Node, interval: Loose) -> bool:
    """Mine every so many seconds instead of when transactions arrive, as in anvil; true.

    0 stops it; transactions then wait until they are mined by hand.
    """
    if interval > MOST_SECONDS:
        msg = f"an interval of {interval} seconds is too long: give at most 10^9"
        raise InvalidInput(msg)
    node.miner.set_interval(interval or None)
    node.miner.set_automine(on=False)
    return True


@rpc("anvil_getIntervalMining")
def get_interval_mining(node: Node) -> Number | None:
    """Seconds between interval blocks, a JSON number rounded up; null without interval mining."""
    seconds = node.miner.block_time if node.miner.running else None
    return None if seconds is None else Number(-(-seconds // 1))


@rpc("hardhat_setCoinbase", "anvil_setCoinbase")
def set_coinbase(node: Node, address: Address) -> bool:
    """Let that address earn the fees of the blocks to come; true."""
    node.miner.coinbase = address
    return True


@rpc("hardhat_setNextBlockBaseFeePerGas", "anvil_setNextBlockBaseFeePerGas")
def set_next_block_base_fee_per_gas(node: Node, base_fee: Amount) -> bool:
    """Have the next block made with that base fee, in wei; true.

    The blocks after it move on from there. Rootstock has no base fee: there it is the next block's
    minimum gas price, which is what a transaction has to pay at least.
    """
    node.chain.set_next_block(base_fee=base_fee)
    return True


@rpc("hardhat_setMinGasPrice", "anvil_setMinGasPrice")
def set_min_gas_price(node: Node, price: Amount) -> bool:
    """Make that the minimum gas price of the blocks to come, in wei; true.

    Error -32602 under Ethereum's rules, where `hardhat_setNextBlockBaseFeePerGas` does it.
    """
    if not node.chain.rules.has_minimum_gas_price:
        msg = "Ethereum's blocks have no minimum gas price: use hardhat_setNextBlockBaseFeePerGas"
        raise InvalidInput(msg)
    node.chain.set_next_block(minimum_gas_price=price)
    return True


@rpc("hardhat_setPrevRandao", "anvil_setPrevRandao", "anvil_setNextBlockPrevRandao")
def set_prev_randao(node: Node, value: Amount) -> bool:
    """Have PREVRANDAO answer that in the next block, which shows it as `mixHash`; true.

    Error -32602 under rules without it: Rootstock's, and Ethereum's before Paris.
    """
    if not node.chain.rules.has_prev_randao:
        msg = f"blocks of {node.config.hardfork} have no random value: --hardfork prague has"
        raise InvalidInput(msg)
    node.chain.set_next_block(prev_randao=Hash32(value.to_bytes(32, "big")))
    return True


@rpc("evm_setBlockGasLimit", "anvil_setBlockGasLimit", "hardhat_setBlockGasLimit")
def set_block_gas_limit(node: Node, limit: Loose) -> bool:
    """Make that the gas limit of the blocks to come, at once and not step by step; true.

    Error -32602 below 21000, with which no transaction could be mined.
    """
    if not LEAST_GAS_LIMIT <= limit <= MOST_GAS_LIMIT:
        msg = f"gas limit {limit} is out of range: give {LEAST_GAS_LIMIT} to {MOST_GAS_LIMIT}"
        raise InvalidInput(msg)
    node.chain.set_next_block(gas_limit=limit)
    return True


@rpc("anvil_rollback")
def rollback(node: Node, depth: Loose = ONE) -> bool:
    """Take the newest blocks back, their transactions too; true.

    Logs that were read come again as removed, the clock stays. Snapshots of the blocks taken back
    are gone. Error -32602 for more blocks than there are.
    """
    cheats.rollback(node, depth)
    return True


@rpc("anvil_reorg", raises=(AccountUnavailable, TransactionRejected))
def reorg(node: Node, depth: Loose, transactions: list[PlacedTransaction]) -> bool:
    """Put as many new blocks in the place of the newest ones; true.

    Each transaction, raw or to be signed here, goes into the new block it is paired with, counted
    from 0. What the old blocks had is gone. If one is refused nothing has changed.
    """
    cheats.reorg(node, depth, transactions)
    return True
