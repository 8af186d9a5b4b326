# pragma version ^0.4.0
"""Branches of Vyper: statements, checks, and expressions that do not evaluate all of their parts."""

total: public(uint256)


@external
def chosen(count: uint256) -> uint256:
    if count > 10:
        return 1
    elif count > 5:
        self.total = 2
    else:
        self.total = 3
    return self.total


@external
def checked(count: uint256):
    assert count < 100, "large"
    assert count != 7
    self.total = count


@external
def ternary(count: uint256) -> uint256:
    return count if count > 3 else 9


@external
def both(count: uint256) -> bool:
    return count > 3 and (count < 9 or count == 20)


@external
def turns(count: uint256) -> uint256:
    total: uint256 = 0
    for i: uint256 in range(count, bound=8):
        if i == 3:
            break
        total += i
    for each: uint256 in [4, 5]:
        total += each
    for j: uint256 in range(2):
        total += j
    return total
