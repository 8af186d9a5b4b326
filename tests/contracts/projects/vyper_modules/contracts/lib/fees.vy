# pragma version ^0.4.0
from .deep import errors
from .. import limits

FEE: constant(uint256) = 3


@internal
@pure
def net(amount: uint256) -> uint256:
    limits.check(amount)
    if amount < FEE:
        errors.refuse()
    return amount - FEE
