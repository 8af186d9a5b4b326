#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

child: public(address)
count: public(uint256)
blueprint: address


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__(blueprint: address):
    self.blueprint = blueprint


@external
def make(wanted: uint256):
    self.count += 1
    self.child = create_from_blueprint(self.blueprint, wanted, code_offset=3)  # calls: new_fails 1


@external
def make_twice():
    self.child = create_minimal_proxy_to(self, salt=empty(bytes32))
    self.child = create_minimal_proxy_to(self, salt=empty(bytes32))  # fails: create_collision


@external
def make_rich():
    self.count += 1
    self.child = create_minimal_proxy_to(self, value=5)  # fails: new_balance
