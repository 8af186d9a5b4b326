#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

interface Target:
    def take(amount: uint256) -> uint256: nonpayable

target: Target


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__(where: address):
    self.target = Target(where)


@external
def pass_on(amount: uint256) -> uint256:
    return $extcall self.target.take(amount)  # calls: two_contracts 2
