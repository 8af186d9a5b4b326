#pragma version >=0.3.10
"""A purse that takes coins."""

coins: public(uint256)


@external
@payable
def put(count: uint256):
    self.coins += count


@external
@payable
def __default__():
    pass
