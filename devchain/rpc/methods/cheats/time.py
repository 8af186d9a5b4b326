"""Methods that set the clock and the timestamps of the next blocks."""

from __future__ import annotations

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.scalar_decoders import Loose

MAX_SECONDS = 10**11
"""Larger times are in milliseconds: in seconds this is the year 5138."""
MAX_INTERVAL = 10**9


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

    Values above 10^11 are milliseconds. A time before the latest block is taken as that block's
    time, since timestamps must ascend. The result is a JSON number, negative if the clock went
    back.
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
