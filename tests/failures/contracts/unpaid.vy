#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

calls: public(uint256)


@external
def __default__():  # fails: value_to_nonpayable_fallback
    self.calls += 1
