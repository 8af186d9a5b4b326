#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

one: public(uint256)


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__():  # fails: nonpayable_constructor
    self.one = 1
