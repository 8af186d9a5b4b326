#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

# nowhere: unknown_function_of_callee
have: public(uint256)


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__():
    self.have = 5


@external
def take(amount: uint256) -> uint256:
    assert amount <= self.have, "Target: too much"  # fails: interface_call, assembly_bubbles, sibling, self_call, two_contracts, minimal_proxy
    self.have -= amount
    return self.have


@external
def takeBare(amount: uint256):
    assert amount <= self.have  # fails: bare_in_callee
    self.have -= amount


@external
def poke() -> uint256:
    self.have += 1  # fails: static_violation
    return self.have


@external
def spin():
    #? 0.3
    for i in range(100000):
    #? 0.4
    for i: uint256 in range(100000):
    #? all
        self.have += 1  # fails: out_of_gas_in_callee


@external
def destroy():
    selfdestruct(msg.sender)
