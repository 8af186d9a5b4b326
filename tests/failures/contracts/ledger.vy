#? 0.4
# pragma version ^0.4.0

owed: HashMap[address, uint256]


@internal
def spend(amount: uint256):
    assert self.owed[msg.sender] >= amount, "ledger: too little"  # fails: internal_library
    self.owed[msg.sender] -= amount
#? all
