# The only function: no jump is taken before its first check.

@external
@view
def divide(a: uint256, b: uint256, c: uint256) -> uint256:
    #? 0.3
    return a / b + a % c  # fails: before_any_jump
    #? 0.4
    return a // b + a % c  # fails: before_any_jump
    #? all
