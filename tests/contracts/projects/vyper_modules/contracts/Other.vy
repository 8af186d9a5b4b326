# pragma version ^0.4.0
import limits


@external
def check(amount: uint256):
    limits.check(amount)
