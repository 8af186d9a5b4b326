#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

# nowhere: proxy_unknown_function
implementation: address
total: public(uint256)


@external
def spend(amount: uint256):
    self.total = 5
    assert amount <= self.total, "Implementation: too much"  # fails: proxy
    self.total -= amount
