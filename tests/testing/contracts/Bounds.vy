#pragma version >=0.3.10
"""Statements of which at times only a check runs that fails."""

fixed: uint256[4]
listed: DynArray[uint256, 4]
left: uint256


@external
@view
def element(index: uint256) -> uint256:
    return self.fixed[index]


@external
@view
def of_argument(given: DynArray[uint256, 4], index: uint256) -> uint256:
    return given[index]


@external
def kept(index: uint256):
    self.left = 1
    taken: uint256 = self.fixed[index]
    self.left = taken


@external
def put(index: uint256, coins: uint256):
    self.fixed[index] = coins
    self.left = coins


@external
def last() -> uint256:
    return self.listed.pop()


@external
def chosen(index: uint256) -> uint256:
    if self.fixed[index] == 0:
        return 1
    return 2


@internal
def _lowered(by: uint256) -> uint256:
    return self.left - by


@external
def lower(by: uint256) -> uint256:
    left: uint256 = self._lowered(by)
    return left
