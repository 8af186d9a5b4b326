#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all


@external
@payable
def __default__():
    pass


@external
@view
def flag() -> uint256:
    return 2
