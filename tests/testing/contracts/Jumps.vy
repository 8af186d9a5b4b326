# pragma version ~=0.4.0
"""Jumps that the compiler redirects, and labels of calls."""

count: public(uint256)
marked: uint256


@external
def chained(steps: uint256, limit: uint256) -> uint256:
    for i: uint256 in range(3):
        if i == steps or limit == 0:
            continue
        elif i == limit:
            continue
        else:
            self.count = i
        return self.count
    return limit


@external
def ended(steps: uint256, limit: uint256) -> uint256:
    for i: uint256 in range(3):
        if steps >= 2:
            break
        elif self.count == limit:
            break
        if steps > self.count:
            return self.count
    return limit


@external
def checked(steps: uint256):
    for i: uint256 in range(2):
        assert steps >= i, "too few"
        continue


@external
def stored(steps: uint256, limit: uint256):
    for i: uint256 in range(3):
        if i < steps:
            self.count = i
            if i == limit:
                self.count = limit
            continue
        break
    if limit == 7 or steps == 7:
        self.count = steps
        return


@internal
def _larger(one: uint256, other: uint256) -> uint256:
    if one > other:
        self.count = one
        return one
    elif one == other:
        for i: uint256 in range(2):
            self.count = i + other
        return self.count
    return other


@external
def largest(one: uint256, other: uint256, third: uint256) -> uint256:
    larger: uint256 = self._larger(one, other)
    if larger == third:
        return larger
    return self._larger(larger, third) + self._larger(third, one)
