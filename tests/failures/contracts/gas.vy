#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

interface Itself:
    def deep(depth: uint256) -> uint256: nonpayable

total: public(uint256)
values: HashMap[uint256, uint256]


@external
def loop():
    self.total = 1
    #? 0.3
    for i in range(100000):
    #? 0.4
    for i: uint256 in range(100000):
    #? all
        self.total += 1  # fails: out_of_gas_loop


@external
def write(amount: uint256):
    self.total = amount
    self.values[amount] = amount  # fails: out_of_gas_write


@external
def deep(depth: uint256) -> uint256:
    return $extcall Itself(self).deep(depth + 1) + 1  # fails: call_depth
