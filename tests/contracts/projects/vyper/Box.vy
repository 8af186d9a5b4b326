# pragma version ^0.4.0
owner: public(address)
value: public(uint256)
cap: immutable(uint256)
event Stored:
    by: indexed(address)
    value: uint256
@deploy
def __init__(cap_: uint256):
    self.owner = msg.sender
    cap = cap_
@external
def store(v: uint256):
    assert v <= cap, "too much"
    self.value = v
    log Stored(by=msg.sender, value=v)
@external
@view
def at(a: uint256) -> uint256:
    return a
