# pragma version ~=0.4.0
"""Statements to which vyper gives no source range, or one that they share with others."""

flag State:
    CLOSED
    OPEN

LIMIT: constant(uint256) = 7
RATE: immutable(uint256)
OWNER: immutable(address)

coins: public(uint256)
state: State
marked: uint256


@deploy
def __init__(rate: uint256, owner: address):
    RATE = rate
    self.coins = 3
    OWNER = owner


@external
@view
def capped(coins: uint256) -> uint256:
    doubled: uint256 = self.coins * 2
    if doubled > coins:
        return coins
    return doubled


@external
@view
def chosen(which: uint256, shut: bool) -> uint256:
    if which == 1:
        return 5
    elif which == 2:
        return LIMIT
    elif which == 3:
        if shut:
            return RATE
        else:
            return which
    elif which == 4:
        return self.coins
    elif which == 5:
        return empty(uint256)
    return which


@external
@view
def swapped(first: uint256, second: uint256) -> (uint256, uint256):
    low: uint256 = first
    high: uint256 = second
    if first > second:
        low = second
        high = first
    else:
        return first, high
    return low, high


@external
@view
def state_after(steps: uint256) -> State:
    if steps == 0:
        return State.CLOSED
    if steps == 1:
        return State.OPEN
    return self.state


@external
def switch(open: bool, strict: bool):
    assert strict
    if open:
        self.state = State.OPEN
    else:
        self.state = State.CLOSED
        return
    if not strict:
        return
    self.coins = 4


@external
@view
def turns(count: uint256, stop: uint256, skip: uint256) -> uint256:
    last: uint256 = 0
    kept: uint256 = 0
    for i: uint256 in range(count, bound=9):
        if i == stop:
            break
        if i == skip:
            continue
        if i == 7:
            kept = last
            continue
        last = i
    for each: uint256 in [4, 5]:
        kept = each
    if kept > last:
        pass
    return last


@internal
@view
def _least(one: uint256, other: uint256) -> uint256:
    if one > other:
        return other
    return one


@internal
def _note(count: uint256):
    if count == 1:
        return
    self.coins = count
    if count == 2:
        raise
    if count == 3:
        self.coins = 1
        return


@internal
def _unused(count: uint256) -> uint256:
    return count


@external
def note(count: uint256, most: uint256 = 5) -> bool:
    least: uint256 = self._least(count, most)
    self._note(least)
    return True


@external
@view
def copied(text: Bytes[8], listed: DynArray[uint256, 3], short: bool) -> Bytes[8]:
    if short:
        return b""
    if len(listed) > 2:
        pass
    return text


@external
@payable
def __default__():
    if msg.value == 1:
        return
    self.coins = msg.value
