# pragma version 0.4.3
"""
@title Names with an owner, a price and an end
"""

struct Entry:
    owner: address
    price: uint256
    end: uint256
    text: String[64]

event Registered:
    owner: indexed(address)
    name: indexed(bytes32)
    price: uint256

event Moved:
    name: indexed(bytes32)
    to: address

FEE: constant(uint256) = 100
MAX: constant(uint256) = 8

treasurer: public(immutable(address))
period: public(uint256)
entries: public(HashMap[bytes32, Entry])
names: DynArray[bytes32, MAX]


@deploy
def __init__(period: uint256):
    treasurer = msg.sender
    self.period = period


@external
@payable
def register(name: bytes32, text: String[64]) -> uint256:
    assert msg.value >= FEE, "costs 100 wei"
    assert self.entries[name].end < block.timestamp, "taken"
    assert len(self.names) < MAX, "full"
    self.entries[name] = Entry(
        owner=msg.sender, price=msg.value, end=block.timestamp + self.period, text=text
    )
    self.names.append(name)
    log Registered(owner=msg.sender, name=name, price=msg.value)
    return self.entries[name].end


@external
def move(name: bytes32, to: address):
    self._check_owner(name)
    self.entries[name].owner = to
    log Moved(name=name, to=to)


@external
@nonreentrant
def collect() -> uint256:
    assert msg.sender == treasurer, "not the treasurer"
    amount: uint256 = self.balance
    raw_call(treasurer, b"", value=amount)
    return amount


@external
@view
def all_names() -> DynArray[bytes32, MAX]:
    return self.names


@external
@view
def remaining(name: bytes32) -> uint256:
    return self.entries[name].end - block.timestamp


@external
@pure
def ratio(a: uint256, b: uint256) -> uint256:
    return a * 10**18 // b


@external
@view
def echo(numbers: uint256[3], flag: bool) -> (uint256[3], bool, address):
    return numbers, flag, self


@internal
@view
def _check_owner(name: bytes32):
    assert self.entries[name].owner == msg.sender, "not the owner"
