# pragma version ~=0.4.0
"""A jar — of coins."""

import lid

coins: public(uint256)
owner: immutable(address)


@deploy
def __init__(first: uint256):
    owner = msg.sender
    self.coins = first


@external
def put(count: uint256):
    assert count > 0, "none"
    if count > 10:
        self.coins += 10
    else:
        self.coins += self.doubled(count)


@internal
@pure
def doubled(count: uint256) -> uint256:
    return lid.twice(count)


@external
@view
def total(times: uint256) -> uint256:
    summed: uint256 = 0
    for i: uint256 in range(times, bound=5):
        if i == 3:
            break
        summed += self.coins
    return summed


@external
def never():
    self.coins = 0
    raise "never"
