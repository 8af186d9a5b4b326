"""Methods that set the timestamps of blocks to come."""

from __future__ import annotations

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.decoders import Loose
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc

MILLISECONDS_FROM = 10**11
"""More than that is no time in seconds, but in milliseconds: as seconds it were the year 5138."""
LONGEST_STEP = 10**9


@rpc("evm_setNextBlockTimestamp", "anvil_setNextBlockTimestamp", "hardhat_setNextBlockTimestamp")
def set_next_block_timestamp(node: Node, timestamp: Loose) -> bool:
    """Have the next block made with that timestamp (seconds), whenever that is; true.

    Time runs on from there once it is made. Error -32602 if it is not after the newest block's.
    """
    newest = node.chain.head.timestamp
    if timestamp <= newest:
        msg = f"timestamp {timestamp} is not after the head's; give at least {newest + 1}"
        raise InvalidInput(msg)
    node.clock.set_next_timestamp(timestamp)
    return True


@rpc("evm_setTime", "anvil_setTime")
def set_time(node: Node, time: Loose) -> Number:
    """Set the clock to a time in seconds, or milliseconds as ganache has it; seconds moved.

    More than 10^11 can only be milliseconds. Blocks stay in order: a time before the newest
    block's is taken as that block's. The result is a JSON number, negative if the clock went back.
    """
    return Number(node.clock.set(time // 1000 if time > MILLISECONDS_FROM else time))


@rpc("anvil_setBlockTimestampInterval")
def set_block_timestamp_interval(node: Node, seconds: Loose) -> bool:
    """Make the blocks to come so many seconds apart, whatever the clock says; true."""
    _set_step(node, seconds)
    return True


@rpc("hardhat_setBlockTimestampInterval")
def set_block_timestamp_interval_milliseconds(node: Node, milliseconds: Loose) -> bool:
    """Make the blocks to come so far apart, in milliseconds, rounded to seconds; true.

    Hardhat has no such method: it is what viem sends in its mode `hardhat`.
    """
    _set_step(node, (milliseconds + 500) // 1000)
    return True


def _set_step(node: Node, seconds: int) -> None:
    if not 1 <= seconds <= LONGEST_STEP:
        msg = f"an interval of {seconds} seconds is out of range: give 1 to 10^9"
        raise InvalidInput(msg)
    node.clock.step = seconds


@rpc("anvil_removeBlockTimestampInterval", "hardhat_removeBlockTimestampInterval")
def remove_block_timestamp_interval(node: Node) -> bool:
    """Let blocks have the clock's time again; whether they were a fixed time apart."""
    was_set = node.clock.step is not None
    node.clock.step = None
    return was_set
