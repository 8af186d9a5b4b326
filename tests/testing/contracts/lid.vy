# pragma version ~=0.4.0


@internal
@pure
def twice(count: uint256) -> uint256:
    return count * 2


@internal
@pure
def thrice(count: uint256) -> uint256:
    return count * 3
