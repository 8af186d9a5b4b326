"""Statements that the debugger steps through, of which some have no source range."""

kept: DynArray[uint256, 8]
total: uint256


@external
def fill(n: uint256) -> DynArray[uint256, 8]:
    outs: DynArray[uint256, 8] = []
    for i: uint256 in range(n, bound=8):
        outs.append(i)
    self.kept = outs
    return outs


@external
def push(n: uint256) -> uint256:
    self.kept.append(n)
    self.kept.pop()
    x: uint256 = n
    x += 1
    return x


@external
def chosen(n: uint256, most: uint256) -> uint256:
    best: uint256 = n
    if n > most:
        best = most
    else:
        best = self._doubled(n)
    other: uint256 = best
    if other == n:
        return n
    return other


@internal
def _doubled(n: uint256) -> uint256:
    twice: uint256 = n
    twice += n
    return twice


@external
def listed(n: uint256):
    for each: uint256 in [3, 1]:
        seen: DynArray[uint256, 4] = []
        seen.append(each)
        if each == n:
            break
    last: uint256 = n
    last += 1
